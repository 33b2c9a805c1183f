import FoundationEssentials
import MailKernelAPI

/// A part of a search with its meaning.
struct SearchMeaning {
    var condition: SearchCondition
    /// What a person reads: “From: ana”.
    var label: String
}

/// Gives the operators with values their meaning.
struct SearchOperators {
    let calendar: SearchCalendar

    /// Nil if the value does not go with the operator.
    func meaning(of name: SearchName, _ value: String, isPhrase: Bool) -> SearchMeaning? {
        let bare = value.trimmingSpaces
        guard !bare.isEmpty else { return nil }
        switch name {
        case .from, .to, .cc, .bcc, .subject, .body: return text(name, bare, isPhrase: isPhrase)
        case .place, .label: return place(name, bare)
        case .has: return has(bare.lowercased())
        case .state: return state(bare.lowercased())
        case .larger, .smaller: return size(name, bare)
        case .olderThan, .newerThan: return age(name, bare.lowercased())
        case .before, .after, .on:
            return DateWords(calendar: calendar).span(bare.dateWords).map { date(name, $0) }
        case .category:
            let category = EmailCategory(rawValue: bare.lowercased())
            return category.map { .init(condition: .plain(.category($0)), label: "Category: \(bare)") }
        case .filename:
            return .init(condition: .attachment(AttachmentTest(named: bare)), label: "File name: \(bare)")
        case .list: return list(bare)
        case .deliveredTo: return header("Delivered-To", name, bare)
        case .messageID: return header("Message-ID", name, bare)
        }
    }

    // MARK: Texts

    private func text(_ name: SearchName, _ value: String, isPhrase: Bool) -> SearchMeaning {
        let text = isPhrase ? "\"\(value)\"" : value
        let label = "\(name.title): \(value)"
        if value.lowercased() == "me", !isPhrase, let fields = Self.meFields[name] {
            return SearchMeaning(condition: .me(fields), label: label)
        }
        switch name {
        case .from: return .init(condition: .plain(.from(text)), label: label)
        case .to:
            let filters: [EmailFilter] = [.to(text), .cc(text), .bcc(text)]
            return .init(condition: .plain(.or(filters)), label: label)
        case .cc: return .init(condition: .plain(.cc(text)), label: label)
        case .bcc: return .init(condition: .plain(.bcc(text)), label: label)
        case .subject: return .init(condition: .plain(.subject(text)), label: label)
        default: return .init(condition: .plain(.body(text)), label: label)
        }
    }

    private static let meFields: [SearchName: [SearchCondition.MeField]] = [
        .from: [.from], .to: [.to, .cc, .bcc], .cc: [.cc], .bcc: [.bcc],
    ]

    private func header(_ field: String, _ name: SearchName, _ value: String) -> SearchMeaning {
        let bare = value.trimmed(of: ">")
        let text = bare.hasPrefix("<") ? String(bare.dropFirst()) : bare
        return .init(condition: .plain(.header(name: field, value: text)), label: "\(name.title): \(text)")
    }

    /// A list is named by its address, or by its id, which has a dot in place of the @.
    private func list(_ value: String) -> SearchMeaning {
        let id = value.replacing("@", with: ".")
        var filters: [EmailFilter] = [.header(name: "List-Id", value: id)]
        if id != value { filters.append(.header(name: "List-Post", value: value)) }
        return .init(
            condition: .plain(filters.count == 1 ? filters[0] : .or(filters)), label: "List: \(value)")
    }

    // MARK: Places and marks

    private static let roles: [String: Mailbox.Role] = [
        "inbox": .inbox, "sent": .sent, "draft": .drafts, "drafts": .drafts, "trash": .trash, "bin": .trash,
        "deleted": .trash, "spam": .junk, "junk": .junk, "archive": .archive, "important": .important,
    ]

    private func place(_ name: SearchName, _ value: String) -> SearchMeaning {
        let key = value.lowercased()
        let label = "\(name.title) \(value)"
        switch key {
        case "anywhere", "all": return .init(condition: .all([]), label: "In all folders")
        case "starred": return .init(condition: .plain(.hasKeyword(.flagged)), label: label)
        default: break
        }
        let condition = Self.roles[key].map { SearchCondition.plain(.inRole($0)) } ?? .folder(value)
        return .init(condition: condition, label: label)
    }

    private func has(_ value: String) -> SearchMeaning? {
        switch value {
        case "attachment", "attachments", "file", "files":
            return .init(condition: .plain(.hasAttachment(true)), label: "With attachment")
        case "star", "yellow-star": return .init(condition: .plain(.hasKeyword(.flagged)), label: "Starred")
        default:
            let singular = value == "pdfs" || value.hasSuffix("s") ? String(value.dropLast()) : value
            guard let kind = AttachmentKind(rawValue: value) ?? AttachmentKind(rawValue: singular) else {
                return nil
            }
            let title = kind == .pdf ? "PDF" : kind.rawValue
            return .init(condition: .attachment(.kind(kind)), label: "With \(title)")
        }
    }

    private func state(_ value: String) -> SearchMeaning? {
        let label = value.prefix(1).uppercased() + value.dropFirst()
        let filter: EmailFilter
        switch value {
        case "snoozed": return .init(condition: .folder(SnoozedMailbox.role), label: label)
        case "unread": filter = .notKeyword(.seen)
        case "read": filter = .hasKeyword(.seen)
        case "starred", "flagged": filter = .hasKeyword(.flagged)
        case "unstarred": filter = .notKeyword(.flagged)
        case "answered", "replied": filter = .hasKeyword(.answered)
        case "unanswered": filter = .notKeyword(.answered)
        case "forwarded": filter = .hasKeyword(.forwarded)
        case "draft": filter = .hasKeyword(.draft)
        case "muted": filter = .hasKeyword(.muted)
        case "important": filter = .or([.inRole(.important), .hasKeyword(Keyword("$important"))])
        default: return nil
        }
        return .init(condition: .plain(filter), label: label)
    }
}

// MARK: Sizes and times

extension SearchOperators {
    private func size(_ name: SearchName, _ value: String) -> SearchMeaning? {
        guard let bytes = ByteSize(value) else { return nil }
        let filter: EmailFilter = name == .larger ? .minSize(bytes.count) : .maxSize(bytes.count)
        return .init(condition: .plain(filter), label: "\(name.title) \(bytes.title)")
    }

    /// By whole days, so that each message is either older or newer all day long; hours are exact.
    private func age(_ name: SearchName, _ value: String) -> SearchMeaning? {
        let digits = value.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits), (1...9999).contains(number) else { return nil }
        let limit: Date
        let unit: String
        switch value.dropFirst(digits.count).lowercased() {
        case "h", "hour", "hours": (limit, unit) = (calendar.ago(hours: number), "hour")
        case "d", "day", "days": (limit, unit) = (calendar.start(calendar.away(days: -number)), "day")
        case "w", "week", "weeks": (limit, unit) = (calendar.start(calendar.away(days: -7 * number)), "week")
        case "m", "mo", "month", "months":
            (limit, unit) = (calendar.start(calendar.away(months: -number)), "month")
        case "y", "year", "years": (limit, unit) = (calendar.start(calendar.away(years: -number)), "year")
        default: return nil
        }
        return .init(
            condition: .plain(name == .olderThan ? .before(limit) : .after(limit)),
            label: "\(name.title) \(number) \(unit)\(number == 1 ? "" : "s")")
    }

    /// The beginning of a time limits what is before and since.
    func date(_ name: SearchName, _ span: DateSpan) -> SearchMeaning {
        switch name {
        case .before:
            return .init(
                condition: .plain(.before(span.from ?? .distantPast)), label: "Before \(span.inSentence)")
        case .after:
            return .init(
                condition: .plain(.after(span.from ?? .distantPast)), label: "Since \(span.inSentence)")
        default: return .init(condition: .plain(span.filter), label: span.label)
        }
    }
}

extension DateSpan {
    var filter: EmailFilter {
        let filters = [from.map { EmailFilter.after($0) }, to.map { .before($0) }].compactMap { $0 }
        return filters.count == 1 ? filters[0] : .and(filters)
    }

    /// “last week”, but “March 2024” and “Friday”.
    var inSentence: String {
        for word in ["Today", "Yesterday", "Last", "This"] where label.hasPrefix(word) {
            return word.lowercased() + label.dropFirst(word.count)
        }
        return label
    }
}

/// A size as people write it: 500k, 5M, 1.5 GB.
struct ByteSize {
    let count: Int
    let title: String

    init?(_ text: String) {
        let text = text.lowercased()
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let number = Double(digits), number >= 0, number < 1_000_000_000_000 else { return nil }
        let unit: (Double, String)
        switch String(text.dropFirst(digits.count)).trimmingSpaces {
        case "", "b", "bytes": unit = (1, "bytes")
        case "k", "kb": unit = (1_000, "KB")
        case "m", "mb": unit = (1_000_000, "MB")
        case "g", "gb": unit = (1_000_000_000, "GB")
        default: return nil
        }
        guard number * unit.0 < 1e15 else { return nil }
        count = Int(number * unit.0)
        title = "\(digits) \(unit.1)"
    }
}

extension String {
    var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }

    /// “last-week” and “last week” are the same date.
    fileprivate var dateWords: [String] {
        let parts = split(whereSeparator: \.isWhitespace).map(String.init)
        guard parts.count == 1, contains(where: \.isLetter) else { return parts }
        return split { $0 == "-" || $0 == "_" }.map(String.init)
    }
}
