/// A JMAP id (RFC 8620, section 1.2): 1 to 255 of the characters `A-Z a-z 0-9 - _`. A provider's own ids,
/// such as `RemoteMessageID`, may contain other characters.
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

    /// Whether JMAP allows this id. The kernel checks ids from clients with it.
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

    /// Ids are equal if their code points are. Swift's strings are equal if they look the same, such as `é` as one
    /// code point and as two.
    @inlinable public static func == (one: Id, other: Id) -> Bool {
        one.rawValue == other.rawValue && one.rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }

    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

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

/// Marks ids of blobs: the bytes of an email, an attachment or an upload.
public enum Blob {}
