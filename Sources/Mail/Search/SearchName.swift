/// The operators of a search, by what stands before the colon.
enum SearchName: String, CaseIterable, Sendable {
    case from, to, cc, bcc, subject, body, filename
    case place = "in"
    case label, has
    case state = "is"
    case list, larger, smaller
    case olderThan = "older_than"
    case newerThan = "newer_than"
    case before, after, on, category
    case deliveredTo = "deliveredto"
    case messageID = "rfc822msgid"

    /// Also other words for them, in either case.
    init?(name: String) {
        let name = name.lowercased()
        guard let known = SearchName(rawValue: name) ?? Self.others[name] else { return nil }
        self = known
    }

    private static let others: [String: SearchName] = [
        "older": .before, "newer": .after, "since": .after, "date": .on, "size": .larger,
        "larger_than": .larger, "bigger": .larger, "smaller_than": .smaller, "folder": .place,
        "attachment": .filename, "older-than": .olderThan, "newer-than": .newerThan,
    ]

    /// What the label of a filter begins with.
    var title: String {
        switch self {
        case .from: "From"
        case .to: "To or Cc"
        case .cc: "Cc"
        case .bcc: "Bcc"
        case .subject: "Subject"
        case .body: "Text"
        case .filename: "File name"
        case .place: "In"
        case .label: "Label"
        case .has: "Has"
        case .state: "Is"
        case .list: "List"
        case .larger: "Larger than"
        case .smaller: "Smaller than"
        case .olderThan: "Older than"
        case .newerThan: "Newer than"
        case .before: "Before"
        case .after: "Since"
        case .on: "On"
        case .category: "Category"
        case .deliveredTo: "Delivered to"
        case .messageID: "Message-ID"
        }
    }

    /// What the value has to be, for those that take only some.
    var wants: String {
        switch self {
        case .larger, .smaller: "a size such as 5M"
        case .olderThan, .newerThan: "a time such as 7d, 2w, 3m or 1y"
        case .before, .after, .on: "a date such as 2024-02-01, march or “last week”"
        case .has:
            "attachment, pdf, image, document, spreadsheet, presentation, audio, video, archive or star"
        case .state: "unread, read, starred, answered, forwarded, draft, important, muted or snoozed"
        case .category: "primary, social, promotions, updates or forums"
        default: "a text"
        }
    }

    /// Whether the value is a date, which can have several words.
    var takesDate: Bool { self == .before || self == .after || self == .on }
}
