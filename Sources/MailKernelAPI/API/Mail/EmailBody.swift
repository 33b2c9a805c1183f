/// The body of an email: its parts, and the decoded text of the text parts.
public struct EmailBody: Sendable, Hashable, Codable {
    /// Every header field of the message in order, raw.
    public var headers: [HeaderField]
    /// The outermost part. Its `subParts` hold the rest.
    public var structure: EmailBodyPart
    /// The decoded text of the `text/*` parts whose content is known, by part id.
    public var values: [String: EmailBodyValue]

    public init(headers: [HeaderField] = [], structure: EmailBodyPart, values: [String: EmailBodyValue] = [:])
    {
        self.headers = headers
        self.structure = structure
        self.values = values
    }
}

/// One header field, raw.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name as it is in the message. Compare it without regard to case.
    public var name: String
    /// The text after the colon as it is in the message, with folding, without the line end.
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// One part of a message (RFC 8621, section 4.1.4).
public struct EmailBodyPart: Sendable, Hashable, Codable {
    /// Unique in the message; the key in `EmailBody.values`. Nil for `multipart/*` only.
    public var partID: String?
    /// The decoded content as a blob, whose bytes the kernel fetches when needed. Nil for `multipart/*`.
    public var blobID: Id<Blob>?
    /// The size after decoding, in bytes. An estimate if the content has not been fetched.
    public var size: Int
    /// The part's own header fields in order, raw.
    public var headers: [HeaderField]
    /// The decoded file name; nil if there is none. Chosen by the sender: never use it as a path.
    public var name: String?
    /// The media type in lower case, without parameters.
    public var type: String
    /// The charset of a text part, `us-ascii` if the part names none; nil for other parts.
    public var charset: String?
    /// `inline`, `attachment` or another word, in lower case; nil if the part has no Content-Disposition.
    public var disposition: String?
    /// The Content-ID without angle brackets; nil if there is none. HTML refers to inline images by it.
    public var cid: String?
    /// The language tags of Content-Language; empty if there are none.
    public var language: [String]
    /// Content-Location as it is in the message; nil if there is none.
    public var location: String?
    /// The parts inside; empty unless `type` is `multipart/*`.
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

/// The decoded text of one part.
public struct EmailBodyValue: Sendable, Hashable, Codable {
    /// The text. Of an HTML part it is the source, not sanitized.
    public var value: String
    /// Whether bytes that could not be decoded were replaced.
    public var isEncodingProblem: Bool
    /// Whether the text was cut because the part is too large to keep.
    public var isTruncated: Bool

    public init(_ value: String, isEncodingProblem: Bool = false, isTruncated: Bool = false) {
        self.value = value
        self.isEncodingProblem = isEncodingProblem
        self.isTruncated = isTruncated
    }
}
