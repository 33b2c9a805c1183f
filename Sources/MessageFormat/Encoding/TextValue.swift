import MailKernelAPI

/// The text of a part.
enum TextValue {
    /// - Parameters:
    ///   - encoding: nil if it is unknown.
    ///   - budget: how many decoded bytes may be read; less by those that were.
    ///   - isCut: `encoded` is only the beginning.
    static func decode(
        _ encoded: Span<UInt8>, encoding: TransferEncoding?, charset: String?, type: String,
        budget: inout Int, isCut: Bool = false
    ) -> EmailBodyValue {
        let limit = max(budget, 0)
        let known = encoding ?? .binary
        var value: EmailBodyValue
        if known.isIdentity {
            let bytes = encoded.extracting(first: limit)
            budget -= bytes.count
            value = text(bytes, charset, type, isTruncated: isCut || encoded.count > limit)
        } else {
            var bytes = known.decodedPrefix(encoded, limit: limit &+ 3)
            let isLonger = bytes.count > limit
            if isLonger { bytes.removeLast(bytes.count - limit) }
            budget -= bytes.count
            value = text(bytes.span, charset, type, isTruncated: isCut || isLonger)
        }
        if encoding == nil { value.isEncodingProblem = true }
        return value
    }

    private static func text(
        _ bytes: Span<UInt8>, _ name: String?, _ type: String, isTruncated: Bool
    ) -> EmailBodyValue {
        var charset = Charset(name: name)
        if type == "text/html" { charset.lookInside(bytes) }
        let whole = isTruncated ? bytes.extracting(first: endOfWholeCharacters(bytes)) : bytes
        let decoded = charset.text(whole, isBody: true)
        return EmailBodyValue(
            decoded.text, isEncodingProblem: decoded.hasProblem, isTruncated: isTruncated)
    }

    /// Where the last UTF-8 sequence begins if it is cut in two.
    private static func endOfWholeCharacters(_ bytes: Span<UInt8>) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1
            return length > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }
}

extension Charset {
    /// HTML that was sent without a charset may name one itself.
    mutating func lookInside(_ html: Span<UInt8>) {
        guard kind == .guess else { return }
        let head = html.extracting(first: 2048).withUnsafeBufferPointer {
            String(
                decoding: $0.map { $0 < 0x80 ? $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) : 0x3F },
                as: UTF8.self)
        }
        guard head.containsBytes(of: "charset="), let meta = head.firstRange(of: "<meta"),
            let found = head[meta.upperBound...].firstRange(of: "charset=")
        else { return }
        let name = head[found.upperBound...].drop { $0 == "\"" || $0 == "'" || $0 == " " }
            .prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        let named = Charset(name: String(name))
        // A page that could be read as ASCII does not get to say that it is to be read otherwise.
        if named.kind != .unknown, named.kind != .utf8, named.kind != .utf7 { self = named }
    }
}
