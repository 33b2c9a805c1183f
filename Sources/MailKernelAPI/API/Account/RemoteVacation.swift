public import FoundationEssentials

/// The vacation reply that a service sends by itself (RFC 8621, section 8).
public struct RemoteVacation: Sendable, Hashable, Codable {
    /// Whether replies are sent, within `from` and `to`.
    public var isEnabled: Bool
    /// The first moment at which replies are sent; nil if there is none.
    public var from: Date?
    /// The last moment at which replies are sent; nil if there is none.
    public var to: Date?
    /// Nil lets the service choose one.
    public var subject: String?
    /// The reply as plain text; nil if it is only HTML, or empty.
    public var text: String?
    /// The reply as HTML; nil if it is only plain text.
    public var html: String?

    public init(
        isEnabled: Bool = false, from: Date? = nil, to: Date? = nil, subject: String? = nil,
        text: String? = nil, html: String? = nil
    ) {
        self.isEnabled = isEnabled
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
    }
}
