/// A JMAP id (RFC 8620, section 1.2) of one kind of thing: 1 to 255 of `A-Z a-z 0-9 - _`.
///
/// `Id<Email>` and `Id<Mailbox>` are different types, so one cannot be passed for the other.
public struct Id<Of>: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let rawValue: String

    @inlinable public init(rawValue: String) {
        self.rawValue = rawValue
    }

    @inlinable public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether it is an id that JMAP allows. Ids that come from outside are checked with this.
    public var isValid: Bool {
        (1...255).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    @inlinable public static func < (one: Id, other: Id) -> Bool { one.rawValue < other.rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var description: String { rawValue }
}

/// The bytes behind an email, an attachment or an upload.
public enum Blob {}
