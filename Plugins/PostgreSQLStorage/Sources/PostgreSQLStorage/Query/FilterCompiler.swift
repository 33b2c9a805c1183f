import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Compiles a filter to SQL, for the emails of one account.
struct FilterCompiler {
    let connection: Connection
    let account: Int
    /// The account's mailboxes by their roles.
    let mailboxes: [Mailbox.Role: [Id<Mailbox>]]
    /// The name that the table of emails has in the statement.
    let email: String

    func condition(_ filter: EmailFilter) throws(StorageError) -> SQLText { try compile(FilterTree(filter)) }

    private func compile(_ tree: FilterTree) throws(StorageError) -> SQLText {
        switch tree {
        case .leaf(let filter, let isWanted): return (isWanted ? "" : "NOT ") + (try leaf(filter))
        case .all(let trees): return SQLText.joined(try compile(trees), by: "AND", ifEmpty: .all)
        case .any(let trees): return SQLText.joined(try compile(trees), by: "OR", ifEmpty: .none)
        }
    }

    private func compile(_ trees: [FilterTree]) throws(StorageError) -> [SQLText] {
        var pieces: [SQLText] = []
        for tree in trees { pieces.append(try compile(tree)) }
        return pieces
    }

    private func leaf(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        if let (text, fields) = filter.searchedText { return try found(text, in: fields) }
        return try plain(filter)
    }

    /// Filters on the email's own row.
    private func plain(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        switch filter {
        case .inMailbox(let id): return SQLText("(\(email).mailboxes @> ?)", [.ids([id])])
        case .inMailboxOtherThan(let ids): return SQLText("(NOT \(email).mailboxes <@ ?)", [.ids(ids)])
        case .before(let date): return SQLText("(\(email).received < ?)", [.date(date)])
        case .after(let date): return SQLText("(\(email).received >= ?)", [.date(date)])
        case .minSize(let size): return SQLText("(\(email).size >= ?)", [.integer(size)])
        case .maxSize(let size): return SQLText("(\(email).size < ?)", [.integer(size)])
        case .hasKeyword(let keyword): return has(keyword)
        case .notKeyword(let keyword): return "NOT " + has(keyword)
        case .hasAttachment(let has): return SQLText("(\(email).attachment = ?)", [.flag(has)])
        case .inRole(let role):
            return SQLText("(\(email).mailboxes && ?)", [.ids(mailboxes[role] ?? [])])
        case .allInThreadHaveKeyword(let keyword): return "NOT " + threadHas(keyword, "NOT ")
        case .someInThreadHaveKeyword(let keyword): return threadHas(keyword)
        case .noneInThreadHaveKeyword(let keyword): return "NOT " + threadHas(keyword)
        case .header(let name, let value): return hasHeader(name, value)
        case .category(.uncategorized):
            return "NOT " + hasInsight("<> ?", EmailCategory.uncategorized)
        case .category(let category): return hasInsight("= ?", category)
        case .and, .or, .not, .text, .from, .to, .cc, .bcc, .subject, .body: return .none
        }
    }

    private func hasInsight(_ which: String, _ category: EmailCategory) -> SQLText {
        SQLText(
            """
            EXISTS (SELECT 1 FROM insight i WHERE i.account = \(email).account AND i.id = \(email).id
            AND i.category \(which))
            """, [.string(category.rawValue)])
    }

    private func hasHeader(_ name: String, _ value: String?) -> SQLText {
        SQLText(
            """
            EXISTS (SELECT 1 FROM email_body y, unnest(y.header_names, y.header_values) h (name, value)
            WHERE y.account = \(email).account AND y.id = \(email).id AND h.name = ? AND position(? IN h.value) > 0)
            """, [.string(Self.fieldName(name)), .string(value.map(TextFolding.fold) ?? "")])
    }

    /// The name of a header field as it is compared.
    static func fieldName(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    func has(_ keyword: Keyword) -> SQLText {
        SQLText("(\(email).keywords @> ?)", [.strings([keyword.rawValue])])
    }

    func allInThread(have keyword: Keyword) -> SQLText { "NOT " + threadHas(keyword, "NOT ") }
    func someInThread(have keyword: Keyword) -> SQLText { threadHas(keyword) }

    /// Whether the thread has an email with the keyword, or one without it.
    private func threadHas(_ keyword: Keyword, _ not: String = "") -> SQLText {
        SQLText(
            """
            EXISTS (SELECT 1 FROM email x WHERE x.account = \(email).account AND x.thread = \(email).thread
            AND \(not)x.keywords @> ?)
            """, [.strings([keyword.rawValue])])
    }
}

// MARK: Words

extension FilterCompiler {
    private func found(_ text: String, in fields: [SearchableText.Field]) throws(StorageError) -> SQLText {
        let search = SearchTerms(text)
        var conditions = words(search.distinctTerms, in: fields)
        if !search.signs.isEmpty {
            conditions.append(
                SQLText(
                    "(\(email).id = ANY (?))",
                    [.ids(try connection.emails(with: search.signs, in: fields, account))]))
        }
        return SQLText.joined(conditions, by: "AND", ifEmpty: .all)
    }

    /// A condition for each word of a text.
    func eachWord(of text: String, in fields: [SearchableText.Field]) -> [SQLText] {
        SearchTerms(text).distinctTerms.flatMap { words([$0], in: fields) }
    }

    func words(_ terms: [SearchTerms.Term], in fields: [SearchableText.Field]) -> [SQLText] {
        terms.slices(of: WordSearch.mostTerms).map { part in
            SQLText("(\(email).terms @@ ?::tsquery)", [.text(WordSearch.all(part, in: fields))])
        }
    }
}

extension Connection {
    func mailboxes(_ role: Mailbox.Role, _ account: Int) throws(StorageError) -> [Id<Mailbox>] {
        try rows(
            "SELECT id FROM mailbox WHERE account = $1 AND role = $2",
            [.integer(account), .text(role.rawValue)]
        ) { $0.id(0) }
    }

    /// The index has words alone: signs are looked for in the texts of the newest emails, some at a time.
    fileprivate func emails(
        with signs: [String], in fields: [SearchableText.Field], _ account: Int
    ) throws(StorageError) -> [Id<Email>] {
        let newest = try rows(
            "SELECT id FROM email WHERE account = $1 ORDER BY received DESC, id LIMIT $2",
            [.integer(account), .integer(SignText.longestSearch)]
        ) { $0.id(0) as Id<Email> }
        var found: [Id<Email>] = []
        for some in newest.slices(of: 100) {
            found += try rows(
                "SELECT id, core, headers, content FROM email_body WHERE account = $1 AND id = ANY ($2)",
                [.integer(account), .ids(some)]
            ) { row -> Id<Email>? in
                let email = row.withBytes(1) {
                    PackedEmail.email(row.id(0), in: Id(""), $0, mailboxIDs: [], keywords: [])
                }
                return SignText.occur(signs, in: fields, of: email, row.body(headers: 2, content: 3))
                    ? email.id : nil
            }.compactMap { $0 }
        }
        return found
    }
}
