import MailKernelAPI
import Store
import StoreRules

/// A way to complete a search that is being typed.
package struct SearchHint: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case `operator`, value, person, folder, date, recent
    }

    package var kind: Kind
    package var title: String
    /// What it is about; empty if the title says it.
    package var detail: String
    /// The whole search with it.
    package var text: String
    /// Where typing goes on, in UTF-16 code units.
    package var caret: Int
}

/// Completes a search while it is typed: operators, people, folders, dates and earlier searches.
package struct SearchHints: Sendable {
    static let most = 8

    let store: MailStore
    let recent: RecentSearches

    package init(store: MailStore, recent: RecentSearches) {
        self.store = store
        self.recent = recent
    }

    /// - Parameter caret: where the user types, in UTF-16 code units.
    package func hints(for text: String, at caret: Int) async throws(StorageError) -> [SearchHint] {
        let piece = TypedPiece(text, caret: caret)
        guard !piece.isInPhrase else { return [] }
        var hints: [SearchHint] = []
        if let name = piece.name {
            hints = try await values(of: name, piece)
        } else {
            hints += try await earlier(text)
            hints += operators(piece)
            if piece.typed.count >= 2 {
                hints += try await people(piece, as: .from, limit: 3)
                hints += try await folders(piece, as: .place, limit: 2)
            }
            hints += dates(piece)
        }
        return Array(hints.prefix(Self.most))
    }

    // MARK: Kinds

    private func values(of name: SearchName, _ piece: TypedPiece) async throws(StorageError) -> [SearchHint] {
        switch name {
        case .from, .to, .cc, .bcc:
            return try await people(piece, as: name, limit: Self.most)
        case .place, .label:
            let fixed =
                name == .place ? ["inbox", "sent", "drafts", "archive", "spam", "trash", "anywhere"] : []
            return try await folders(piece, as: name, limit: Self.most) + fixedValues(fixed, name, piece)
        default:
            return fixedValues(Self.values[name] ?? [], name, piece)
        }
    }

    private static let values: [SearchName: [String]] = [
        .has: ["attachment"] + AttachmentKind.allCases.map(\.rawValue) + ["star"],
        .state: [
            "unread", "read", "starred", "answered", "unanswered", "forwarded", "draft", "important", "muted",
            "snoozed",
        ],
        .category: ["primary", "social", "promotions", "updates", "forums"],
        .before: ["today", "last week", "last month", "this year"],
        .after: ["yesterday", "this week", "this month", "this year"],
        .on: ["today", "yesterday", "friday"],
        .olderThan: ["7d", "1m", "1y"], .newerThan: ["1d", "7d", "1m"],
        .larger: ["1M", "5M", "10M"], .smaller: ["100k", "1M"], .filename: ["*.pdf", "*.docx", "*.zip"],
    ]

    private func fixedValues(_ values: [String], _ name: SearchName, _ piece: TypedPiece) -> [SearchHint] {
        values.filter { $0.lowercased().hasPrefix(piece.folded) && $0.lowercased() != piece.folded }.map {
            piece.hint(.value, title: $0, detail: "", "\(name.rawValue):\(Self.quoted($0))")
        }
    }

    private static let explained: [(name: SearchName, detail: String)] = [
        (.from, "sender"), (.to, "recipient, also in Cc"), (.subject, "words in the subject"),
        (.place, "folder"), (.has, "attachment, pdf, image …"), (.state, "unread, starred …"),
        (.after, "since a date"), (.before, "before a date"), (.filename, "name of an attachment"),
        (.newerThan, "7d, 2w, 1m"), (.olderThan, "7d, 2w, 1m"), (.larger, "5M"), (.smaller, "1M"),
        (.list, "mailing list"), (.label, "label"), (.cc, "copy recipient"), (.on, "a day"),
        (.category, "promotions, updates …"),
    ]

    private func operators(_ piece: TypedPiece) -> [SearchHint] {
        let limit = piece.typed.isEmpty ? 5 : 3
        return Self.explained.filter { $0.name.rawValue.hasPrefix(piece.folded) }.prefix(limit).map {
            piece.hint(
                .operator, title: "\($0.name.rawValue):", detail: $0.detail, "\($0.name.rawValue):",
                space: false)
        }
    }

    private func people(
        _ piece: TypedPiece, as name: SearchName, limit: Int
    ) async throws(StorageError) -> [SearchHint] {
        try await store.read.contacts(matching: piece.typed, limit: limit).map { contact in
            let title = contact.name.flatMap { $0.isEmpty ? nil : $0 } ?? contact.email
            return piece.hint(
                .person, title: title, detail: title == contact.email ? "" : contact.email,
                "\(name.rawValue):\(Self.quoted(contact.email))")
        }
    }

    private func folders(
        _ piece: TypedPiece, as name: SearchName, limit: Int
    ) async throws(StorageError) -> [SearchHint] {
        var titles: Set<String> = []
        for account in try await store.read.accounts() {
            let mailboxes = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
            titles.formUnion(FolderNames(mailboxes.filter { $0.role == nil }).titles)
        }
        return titles.filter { TextFolding.hasWord(beginningWith: piece.folded, in: $0) }.sorted()
            .prefix(limit).map {
                piece.hint(.folder, title: $0, detail: "folder", "\(name.rawValue):\(Self.quoted($0))")
            }
    }

    private func dates(_ piece: TypedPiece) -> [SearchHint] {
        guard piece.typed.count >= 3 else { return [] }
        let known = ["today", "yesterday"] + (DateWords.months + DateWords.weekdays).map { $0.lowercased() }
        return known.filter { $0.hasPrefix(piece.folded) }.prefix(2).map {
            piece.hint(.date, title: $0, detail: "date", "on:\($0)")
        }
    }

    private func earlier(_ text: String) async throws(StorageError) -> [SearchHint] {
        let typed = TextFolding.fold(text.trimmingSpaces)
        return try await recent.all().map(\.text).filter {
            let folded = TextFolding.fold($0)
            return folded.hasPrefix(typed) && folded != typed
        }.prefix(typed.isEmpty ? 5 : 2).map {
            SearchHint(kind: .recent, title: $0, detail: "", text: $0, caret: $0.utf16.count)
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.contains { $0.isWhitespace || "()\"{}".contains($0) }
        return isPlain ? text : "\"\(text.filter { $0 != "\"" && $0 != "\\" })\""
    }
}

/// The part of a search that is being typed: an operator's value, or a word.
struct TypedPiece {
    private(set) var name: SearchName?
    private(set) var typed = ""
    /// Words in quotation marks are not completed.
    private(set) var isInPhrase = false
    private let before: String
    private let after: String

    var folded: String { TextFolding.fold(typed) }

    init(_ text: String, caret: Int) {
        let units = Array(text.utf16)
        let caret = max(0, min(caret, units.count))
        let head = String(decoding: units[..<caret], as: UTF16.self)
        after = String(decoding: units[caret...], as: UTF16.self)
        let lexer = SearchLexer(head)
        guard let last = lexer.tokens.last, last.range.upperBound == caret else {
            (before, isInPhrase) = (head, lexer.openQuote != nil)
            return
        }
        var start = last.range.lowerBound
        switch last.kind {
        case .word(let word):
            typed = word
            if lexer.tokens.count > 1, case .name(let name, true) = lexer.tokens[lexer.tokens.count - 2].kind
            {
                self.name = name
                start = lexer.tokens[lexer.tokens.count - 2].range.lowerBound
                if word.hasPrefix("\"") { typed = String(word.dropFirst()) }
            } else {
                isInPhrase = lexer.openQuote != nil
            }
        case .name(let name, _): self.name = name
        case .phrase: isInPhrase = true
        case .and, .or, .not, .open, .openAny, .close: start = caret
        }
        before = String(decoding: units[..<start], as: UTF16.self)
    }

    /// The search with this in place of the piece.
    func hint(
        _ kind: SearchHint.Kind, title: String, detail: String, _ piece: String, space: Bool = true
    ) -> SearchHint {
        let head = before + piece + (space && after.first?.isWhitespace != true ? " " : "")
        return SearchHint(
            kind: kind, title: title, detail: detail, text: head + after, caret: head.utf16.count)
    }
}
