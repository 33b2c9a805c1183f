import FoundationEssentials
import MailKernelAPI

/// A message that is too large for one request: its large attachments, and the message without them. Microsoft puts
/// them together again.
struct LargeMessage: Sendable {
    /// Exchange takes no larger messages.
    static let limit = 150 * 1_024 * 1_024
    /// In base64, the largest request that Graph takes.
    static let mostAtOnce = 3_000_000
    /// From this size on, an attachment has an upload session.
    static let sessionSize = 3 * 1_024 * 1_024
    /// The attachments that are taken out: the large ones, and smaller ones if that is not enough.
    private static let sizes = [1_000_000, 100_000, 0]

    struct Attachment: Sendable {
        let name: String
        let type: String
        let contentID: String?
        let bytes: Data

        /// For an upload session.
        var item: JSONValue {
            var item: [String: JSONValue] = [
                "attachmentType": "file", "name": .string(name), "contentType": .string(type),
                "size": .number(Double(bytes.count)), "isInline": .bool(contentID != nil),
            ]
            item["contentId"] = contentID.map { .string($0) }
            return .object(item)
        }

        /// With its bytes, for one request.
        var json: JSONValue {
            var json: [String: JSONValue] = [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": .string(name),
                "contentType": .string(type), "isInline": .bool(contentID != nil),
                "contentBytes": .string(bytes.base64EncodedString()),
            ]
            json["contentId"] = contentID.map { .string($0) }
            return .object(json)
        }
    }

    let rest: Data
    let attachments: [Attachment]

    /// - Throws: `.refused` if what remains is still too large.
    init(_ message: Data) throws(AccountError) {
        let type = MIMEHeader(message).type
        guard !Self.isSealed(type) else {
            throw .refused("Through Microsoft Graph, a signed or encrypted message can have at most 3 MB.")
        }
        for size in Self.sizes {
            var stripper = Stripper(least: size)
            let rest = stripper.strip(message, depth: 0)
            if rest.count <= Self.mostAtOnce {
                (self.rest, attachments) = (rest, stripper.attachments)
                return
            }
        }
        throw .refused(
            "The text of this message is too large for Microsoft Graph. Attach it as a file instead.")
    }

    private static func isSealed(_ type: String) -> Bool {
        ["multipart/signed", "multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"]
            .contains(type)
    }

    private struct Stripper {
        let least: Int
        var attachments: [Attachment] = []

        init(least: Int) { self.least = least }

        /// The part without the attachments inside.
        mutating func strip(_ part: Data, depth: Int) -> Data {
            let header = MIMEHeader(part)
            guard depth < 20, header.type.hasPrefix("multipart/"), !LargeMessage.isSealed(header.type),
                let boundary = header.boundary, !boundary.isEmpty,
                let parts = Multipart(part.dropFirst(header.length), boundary: boundary)
            else { return part }
            var rest = Data(part.prefix(header.length)) + parts.before
            var isEmpty = true
            for inner in parts.parts {
                let kept = take(inner) ? nil : strip(inner, depth: depth + 1)
                guard let kept else { continue }
                isEmpty = false
                rest += Data("--\(boundary)\r\n".utf8) + kept + Data("\r\n".utf8)
            }
            if isEmpty {
                rest += Data("--\(boundary)\r\nContent-Type: text/plain\r\n\r\n\r\n".utf8)
            }
            return rest + Data("--\(boundary)--\r\n".utf8)
        }

        /// Whether the part is an attachment that is to be uploaded.
        private mutating func take(_ part: Data) -> Bool {
            let header = MIMEHeader(part)
            let cid = header.disposition == "attachment" ? nil : header.contentID
            guard part.count >= least, !header.type.hasPrefix("multipart/"),
                header.disposition == "attachment" || header.fileName != nil || cid != nil
            else { return false }
            let body = part.dropFirst(header.length)
            guard let bytes = Transfer.decode(body, header.encoding) else { return false }
            let usual = header.type == "message/rfc822" ? "message.eml" : "attachment"
            attachments.append(
                Attachment(name: header.fileName ?? usual, type: header.type, contentID: cid, bytes: bytes))
            return true
        }
    }
}

/// The parts of a body between its boundaries.
struct Multipart {
    /// Text before the first part.
    let before: Data
    let parts: [Data]

    /// Nil if the boundary is nowhere.
    init?(_ body: Data, boundary: String) {
        let mark = Array("--\(boundary)".utf8)
        var starts: [(line: Int, content: Int, isLast: Bool)] = []
        let bytes = Data(body)
        bytes.withUnsafeBytes { all in
            var line = 0
            while line < all.count {
                var end = line
                while end < all.count, all[end] != 10 { end += 1 }
                let next = min(end + 1, all.count)
                if all[line] == 45, let isLast = Self.boundary(all[line..<end], mark) {
                    starts.append((line, next, isLast))
                    if isLast { return }
                }
                line = next
            }
        }
        guard let first = starts.first else { return nil }
        before = bytes.prefix(first.line)
        var parts: [Data] = []
        for (index, start) in starts.enumerated() where !start.isLast {
            var end = index + 1 < starts.count ? starts[index + 1].line : bytes.count
            // The line break belongs to the boundary.
            if end > start.content, bytes[bytes.startIndex + end - 1] == 10 { end -= 1 }
            if end > start.content, bytes[bytes.startIndex + end - 1] == 13 { end -= 1 }
            parts.append(Data(bytes[(bytes.startIndex + start.content)..<(bytes.startIndex + end)]))
        }
        self.parts = parts
    }

    /// Whether a line is the last boundary; nil if it is none.
    private static func boundary(_ line: Slice<UnsafeRawBufferPointer>, _ mark: [UInt8]) -> Bool? {
        guard line.starts(with: mark) else { return nil }
        let rest = line.dropFirst(mark.count)
        if rest.starts(with: [45, 45]) { return true }
        return rest.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 } ? false : nil
    }
}

/// Transfer encodings of parts.
enum Transfer {
    /// Nil for an encoding that is not known.
    static func decode(_ body: Data, _ encoding: String) -> Data? {
        switch encoding {
        case "base64": Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters)
        case "quoted-printable": quotedPrintable(body)
        case "7bit", "8bit", "binary": Data(body)
        default: nil
        }
    }

    private static func quotedPrintable(_ body: Data) -> Data {
        var bytes = Data()
        var rest = Array(body)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            if rest.starts(with: [13, 10]) {
                rest = rest.dropFirst(2)
            } else if rest.first == 10 {
                rest = rest.dropFirst()
            } else if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
