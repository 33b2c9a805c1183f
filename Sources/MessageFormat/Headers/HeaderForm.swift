public import FoundationEssentials
public import MailKernelAPI

/// The forms of a header field (RFC 8621, section 4.1.2).
///
/// Reading never fails on broken mail: invalid parts are left out, or the value is nil if the RFC requires
/// it.
public enum HeaderForm: String, Sendable, CaseIterable {
    case raw = "asRaw"
    case text = "asText"
    case addresses = "asAddresses"
    case groupedAddresses = "asGroupedAddresses"
    case messageIDs = "asMessageIds"
    case date = "asDate"
    case urls = "asURLs"

    /// Whether a field may be had or set in this form. The RFC refuses forms that make no sense for fields
    /// that it knows, and lets all others have any.
    public func isAllowed(for name: String) -> Bool {
        guard self != .raw, let kind = Self.kinds[name.lowercased()] else { return true }
        return switch self {
        case .raw: true
        case .text: kind == .text
        case .addresses, .groupedAddresses: kind == .addresses
        case .messageIDs: kind == .messageIDs
        case .date: kind == .date
        case .urls: kind == .urls
        }
    }

    /// A field's value in this form.
    ///
    /// - Parameter raw: the field's bytes in the message.
    public func value(of raw: String) -> HeaderValue {
        switch self {
        case .raw: .raw(raw)
        case .text: .text(Self.text(of: raw))
        case .addresses: .addresses(Self.addresses(of: raw))
        case .groupedAddresses: .groupedAddresses(Self.groups(of: raw))
        case .messageIDs: .messageIDs(Self.messageIDs(of: raw))
        case .date: .date(Self.date(of: raw))
        case .urls: .urls(Self.urls(of: raw))
        }
    }

    /// What a field of RFC 5322 or RFC 2369 holds.
    private enum Kind {
        case text, addresses, messageIDs, date, urls, other
    }

    private static let kinds: [String: Kind] = {
        let names: [(Kind, [String])] = [
            (.text, ["subject", "comments", "keywords", "list-id"]),
            (
                .addresses,
                [
                    "from", "sender", "reply-to", "to", "cc", "bcc", "resent-from", "resent-sender",
                    "resent-reply-to", "resent-to", "resent-cc", "resent-bcc",
                ]
            ),
            (.messageIDs, ["message-id", "in-reply-to", "references", "resent-message-id"]),
            (.date, ["date", "resent-date"]),
            (
                .urls,
                [
                    "list-help", "list-unsubscribe", "list-subscribe", "list-post", "list-owner",
                    "list-archive",
                ]
            ),
            (.other, ["return-path", "received"]),
        ]
        return Dictionary(uniqueKeysWithValues: names.flatMap { kind, names in names.map { ($0, kind) } })
    }()
}

/// A header field's value in one of its forms.
public enum HeaderValue: Sendable, Hashable {
    case raw(String)
    case text(String)
    case addresses([EmailAddress])
    case groupedAddresses([EmailAddressGroup])
    case messageIDs([String]?)
    case date(HeaderDate?)
    case urls([String]?)
}

/// Addresses that are written as a group, or those between groups, which have no name.
public struct EmailAddressGroup: Sendable, Hashable, Codable {
    public var name: String?
    public var addresses: [EmailAddress]

    public init(name: String? = nil, addresses: [EmailAddress]) {
        self.name = name
        self.addresses = addresses
    }
}

/// An instant, with the sender's time zone.
public struct HeaderDate: Sendable, Hashable, Codable {
    public var date: Date
    /// Seconds east of Greenwich.
    public var offset: Int

    public init(date: Date, offset: Int = 0) {
        self.date = date
        self.offset = offset
    }
}
