import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Compiles a filter to SQL, for the emails of one account.
struct FilterCompiler {
    let database: Database
    let account: Int64
    /// The name that the table of emails has in the statement.
    let email: String

    private var index: SearchIndex { SearchIndex(account: account) }

    func condition(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        try nested(FilterTree(filter)).text
    }

    /// The deepest piece comes first: SQLite's parser then has to remember one bracket per level, and
    /// it remembers less than a hundred things.
    private func nested(_ tree: FilterTree) throws(StorageError) -> (text: SQLText, depth: Int) {
        switch tree {
        case .leaf(let filter, let isWanted):
            let text = try leaf(filter)
            return (isWanted ? text : "NOT " + text, 0)
        case .all(let trees): return try joined(trees, "AND", ifEmpty: .all)
        case .any(let trees): return try joined(trees, "OR", ifEmpty: .none)
        }
    }

    private func joined(
        _ trees: [FilterTree], _ word: String, ifEmpty: SQLText
    ) throws(StorageError) -> (text: SQLText, depth: Int) {
        let pieces = try trees.each { tree throws(StorageError) in try nested(tree) }
            .sorted { $0.depth > $1.depth }
        let text = SQLText.joined(pieces.map(\.text)[...], by: word, ifEmpty: ifEmpty)
        return (text, (pieces.first?.depth ?? 0) + 1)
    }

    private func leaf(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        if let (text, fields) = filter.searchedText { return found(text, in: fields) }
        return try plain(filter)
    }

    /// Filters on properties of the email alone.
    private func plain(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        switch filter {
        case .inMailbox(let id):
            guard let mailbox = try database.mailboxRow(id, account: account) else { return .none }
            return isInMailbox("= ?", .integer(mailbox))
        case .inMailboxOtherThan(let ids):
            let mailboxes = try ids.each { id throws(StorageError) in
                try database.mailboxRow(id, account: account)
            }
            return isInMailbox("NOT IN (SELECT value FROM json_each(?))", Self.list(mailboxes))
        case .before(let date): return SQLText("\(email).received < ?", [.date(date)])
        case .after(let date): return SQLText("\(email).received >= ?", [.date(date)])
        case .minSize(let size): return SQLText("\(email).size >= ?", [.integer(size)])
        case .maxSize(let size): return SQLText("\(email).size < ?", [.integer(size)])
        case .hasKeyword(let keyword): return has(keyword)
        case .notKeyword(let keyword): return "NOT " + has(keyword)
        case .hasAttachment(let has): return SQLText("\(email).attachment = ?", [.flag(has)])
        case .and, .or, .not, .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword,
            .text, .from, .to, .cc, .bcc, .subject, .body, .header, .category, .inRole:
            return try lookingAround(filter)
        }
    }

    /// Filters that need more than the email.
    private func lookingAround(_ filter: EmailFilter) throws(StorageError) -> SQLText {
        switch filter {
        case .allInThreadHaveKeyword(let keyword): return allInThread(have: keyword)
        case .someInThreadHaveKeyword(let keyword): return someInThread(have: keyword)
        case .noneInThreadHaveKeyword(let keyword): return "NOT " + someInThread(have: keyword)
        case .header(let name, let value):
            // Only the answer leaves the inner query: SQLite would hold a copy of the headers for each condition.
            return SQLText(
                "coalesce((SELECT has_header(y.headers, ?, ?) FROM email_body y WHERE y.email = \(email).row), 0)",
                [.text(name), .text(value.map(TextFolding.fold) ?? "")])
        case .category(.uncategorized):
            return "NOT " + hasInsight("category <> ?", .text(EmailCategory.uncategorized.rawValue))
        case .category(let category): return hasInsight("category = ?", .text(category.rawValue))
        case .inRole(let role):
            let mailboxes = try database.mailboxRows(withRoleIn: [role], account: account)
            guard mailboxes.count != 1 else { return isInMailbox("= ?", .integer(mailboxes[0])) }
            return isInMailbox("IN (SELECT value FROM json_each(?))", Self.list(mailboxes))
        case .and, .or, .not, .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize,
            .hasKeyword, .notKeyword, .hasAttachment, .text, .from, .to, .cc, .bcc, .subject, .body:
            return .none
        }
    }

    private static func list(_ rows: [Int64]) -> SQLValue {
        .text("[" + rows.map(String.init).joined(separator: ",") + "]")
    }
}

// MARK: Conditions

extension FilterCompiler {
    private func isInMailbox(_ which: String, _ value: SQLValue) -> SQLText {
        SQLText(
            "EXISTS (SELECT 1 FROM email_mailbox WHERE email = \(email).row AND mailbox \(which))", [value])
    }

    private func hasInsight(_ which: String, _ value: SQLValue) -> SQLText {
        SQLText("EXISTS (SELECT 1 FROM insight WHERE email = \(email).row AND \(which))", [value])
    }

    func has(_ keyword: Keyword) -> SQLText {
        SQLText(
            "EXISTS (SELECT 1 FROM email_keyword WHERE email = \(email).row AND keyword = ?)",
            [.text(keyword.rawValue)])
    }

    func someInThread(have keyword: Keyword) -> SQLText {
        SQLText(
            """
            EXISTS (SELECT 1 FROM email x JOIN email_keyword k ON k.email = x.row AND k.keyword = ?
            WHERE x.thread = \(email).thread)
            """, [.text(keyword.rawValue)])
    }

    func allInThread(have keyword: Keyword) -> SQLText {
        SQLText(
            """
            NOT EXISTS (SELECT 1 FROM email x WHERE x.thread = \(email).thread AND NOT EXISTS
            (SELECT 1 FROM email_keyword k WHERE k.email = x.row AND k.keyword = ?))
            """, [.text(keyword.rawValue)])
    }

    private func found(_ text: String, in fields: [SearchableText.Field]) -> SQLText {
        let search = SearchTerms(text)
        let conditions = search.distinctTerms.slices(of: MatchExpression.maximumTerms).map { part in
            SQLText(
                """
                \(email).row IN (SELECT rowid FROM \(index.table) WHERE \(index.table) MATCH ?)
                """, [.text(MatchExpression.all(part, in: fields))])
        }
        guard !search.signs.isEmpty else { return SQLText.joined(conditions[...], by: "AND", ifEmpty: .all) }
        return SQLText.joined((conditions + [have(search.signs, in: fields)])[...], by: "AND", ifEmpty: .all)
    }

    /// The index has words alone: signs are looked for in the texts, of the newest emails.
    private func have(_ signs: [String], in fields: [SearchableText.Field]) -> SQLText {
        SQLText(
            """
            (\(email).received >= coalesce((SELECT n.received FROM email n WHERE n.account = ?
            ORDER BY n.received DESC LIMIT 1 OFFSET ?), -1e18)
            AND (SELECT has_signs(y.core, y.headers, y.content, ?, ?) FROM email_body y WHERE y.email = \(email).row))
            """,
            [
                .integer(account), .integer(SignText.longestSearch - 1), .text(signs.joined(separator: " ")),
                .text(fields.map(\.rawValue).joined(separator: " ")),
            ])
    }
}
