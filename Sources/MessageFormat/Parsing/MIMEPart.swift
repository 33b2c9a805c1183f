import MailKernelAPI

/// A message taken apart: where everything is, nothing decoded but its names.
struct MIMEMessage {
    var headers: [HeaderField]
    var root: MIMEPart
    /// How header fields are read that are not UTF-8.
    var fallbackCharset: Charset
}

struct MIMEPart {
    /// For the root, only its MIME fields; the message has the others.
    var headers: [HeaderField] = []
    /// In lower case, without parameters.
    var type = "text/plain"
    var charset: String?
    var name: String?
    var disposition: String?
    /// Nil if the message names an unknown encoding.
    var encoding: TransferEncoding? = .sevenBit
    /// The encoded content in the bytes of the message.
    var range = 0..<0
    var subParts: [MIMEPart] = []
    var isMultipart = false

    var isText: Bool { type.hasPrefix("text/") }

    func headerValue(_ name: String) -> String? {
        headers.last { $0.name.isSameField(as: name) }?.value
    }
}

extension MIMEPart {
    /// The leaf that IMAP calls by this number: the only part is `1`, those of a multipart `1`, `2`, and so
    /// on, those below the second of them `2.1`.
    func leaf(_ partID: String) -> MIMEPart? {
        var part = self
        let numbers = partID.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count <= 1000 else { return nil }
        if !part.isMultipart { return numbers == [1] ? part : nil }
        for number in numbers {
            guard let number, part.isMultipart, part.subParts.indices.contains(number - 1) else { return nil }
            part = part.subParts[number - 1]
        }
        return part.isMultipart ? nil : part
    }
}
