/// The body of an email: its parts, and the text of those that are text.
public struct EmailBody: Sendable, Hashable, Codable {
    /// Every header field of the message in its order, raw.
    public var headers: [HeaderField]
    public var structure: EmailBodyPart
    /// The decoded text of the `text/*` parts that are held, by part id.
    public var values: [String: EmailBodyValue]

    public init(headers: [HeaderField] = [], structure: EmailBodyPart, values: [String: EmailBodyValue] = [:])
    {
        self.headers = headers
        self.structure = structure
        self.values = values
    }
}

public struct HeaderField: Sendable, Hashable, Codable {
    public var name: String
    /// As it stands in the message, folding included, without the line end.
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// One part of a message (RFC 8621, section 4.1.4).
public struct EmailBodyPart: Sendable, Hashable, Codable {
    /// Nil for `multipart/*` only.
    public var partID: String?
    public var blobID: Id<Blob>?
    /// Decoded, in bytes.
    public var size: Int
    public var headers: [HeaderField]
    public var name: String?
    /// In lower case, without parameters.
    public var type: String
    public var charset: String?
    public var disposition: String?
    /// Content-ID without its angle brackets.
    public var cid: String?
    public var language: [String]
    public var location: String?
    public var subParts: [EmailBodyPart]

    public init(
        partID: String? = nil, blobID: Id<Blob>? = nil, size: Int = 0, headers: [HeaderField] = [],
        name: String? = nil, type: String, charset: String? = nil, disposition: String? = nil,
        cid: String? = nil, language: [String] = [], location: String? = nil, subParts: [EmailBodyPart] = []
    ) {
        self.partID = partID
        self.blobID = blobID
        self.size = size
        self.headers = headers
        self.name = name
        self.type = type
        self.charset = charset
        self.disposition = disposition
        self.cid = cid
        self.language = language
        self.location = location
        self.subParts = subParts
    }
}

public struct EmailBodyValue: Sendable, Hashable, Codable {
    public var value: String
    /// Some bytes could not be decoded and were replaced.
    public var isEncodingProblem: Bool
    /// The text was cut: the part is larger than is kept.
    public var isTruncated: Bool

    public init(_ value: String, isEncodingProblem: Bool = false, isTruncated: Bool = false) {
        self.value = value
        self.isEncodingProblem = isEncodingProblem
        self.isTruncated = isTruncated
    }
}
