import CGMime
import FoundationEssentials
import MailKernelAPI

/// Takes a message apart with GMime. Whatever the bytes are, something is read from them.
struct MIMEReader {
    var limits: MessageParser.Limits
    private var partCount = 0
    /// Where the message begins in the bytes.
    private var start = 0

    init(limits: MessageParser.Limits) {
        self.limits = limits
    }

    mutating func read(_ message: Data) -> MIMEMessage {
        GMime.start
        let bytes = message.span
        start = Self.startOfHeader(bytes)
        let parsed = Owned(
            message.withUnsafeBytes { buffer in
                buffer.baseAddress.flatMap {
                    cgmime_parse($0 + start, UInt32(clamping: buffer.count - start))
                }
            })
        guard let parsed else { return withoutHeader(bytes) }
        let charset = GMime.text(
            g_mime_content_type_get_parameter(cgmime_content_type(parsed.pointer), "charset"))
        let fields = HeaderReader(
            fallback: Charset(forHeadersWithBody: charset), limit: limits.headerFields, start: start)
        let all = fields.fields(of: parsed.pointer, in: bytes)
        var root = part(parsed.pointer, fields: all, bytes, fields, depth: 0)
        let headers = root.headers
        // The others are the message's, which has them already.
        root.headers = headers.filter { $0.name.lowercased().hasPrefix("content-") }
        return MIMEMessage(headers: headers, root: root, fallbackCharset: fields.fallback)
    }

    /// A message without a header is text from its first byte on.
    private func withoutHeader(_ bytes: Span<UInt8>) -> MIMEMessage {
        var root = MIMEPart()
        root.charset = "us-ascii"
        root.range = 0..<bytes.count
        return MIMEMessage(headers: [], root: root, fallbackCharset: .windows1252)
    }

    private mutating func part(
        _ object: UnsafeMutableRawPointer, fields: [HeaderReader.Found], _ bytes: Span<UInt8>,
        _ reader: HeaderReader, depth: Int
    ) -> MIMEPart {
        partCount += 1
        var part = MIMEPart()
        part.headers = fields.map(\.field)
        describe(&part, object)
        if cgmime_is_multipart(object) {
            addChildren(to: &part, of: object, bytes, reader, depth: depth)
            if part.subParts.isEmpty { makeText(&part, object, fields, bytes, isRoot: depth == 0) }
        } else {
            var (begin, end): (Int64, Int64) = (0, 0)
            if cgmime_content_range(object, &begin, &end) {
                part.range = Range(
                    from: Int(begin) + start, to: Int(end) + start, within: bytes.count)
                // GMime leaves half of the line end that belongs to a boundary at the message's very end.
                let end = part.range.upperBound
                if end < bytes.count, !part.range.isEmpty, bytes[end] == 0x0A, bytes[end - 1] == 0x0D {
                    part.range = part.range.lowerBound..<end - 1
                }
            }
        }
        return part
    }

    private mutating func addChildren(
        to part: inout MIMEPart, of object: UnsafeMutableRawPointer, _ bytes: Span<UInt8>,
        _ reader: HeaderReader, depth: Int
    ) {
        part.isMultipart = true
        guard depth < limits.depth else { return }
        for index in 0..<cgmime_child_count(object) where partCount < limits.parts {
            guard let child = cgmime_child(object, index) else { continue }
            let fields = reader.fields(of: child, in: bytes)
            part.subParts.append(
                self.part(child, fields: fields, bytes, reader, depth: depth + 1))
        }
    }

    /// A multipart whose boundary never comes has its text before it.
    private func makeText(
        _ part: inout MIMEPart, _ object: UnsafeMutableRawPointer, _ fields: [HeaderReader.Found],
        _ bytes: Span<UInt8>, isRoot: Bool
    ) {
        guard cgmime_child_count(object) == 0 else { return }
        let body = HeaderReader.endOfHeader(after: fields.map(\.offset).max() ?? start, in: bytes)
        let length = isRoot ? bytes.count - body : cgmime_prologue(object).map { strlen($0) } ?? 0
        part.type = "text/plain"
        part.charset = part.charset ?? "us-ascii"
        part.isMultipart = false
        part.range = Range(from: body, to: body + length, within: bytes.count)
    }

    /// Behind the line with which mailbox files begin a message, if somebody left it in.
    private static func startOfHeader(_ bytes: Span<UInt8>) -> Int {
        let line = bytes.extracting(first: 1000)
        let text = line.withUnsafeBufferPointer { Array($0) }
        guard text.starts(with: "From ".utf8) || text.starts(with: ">From ".utf8),
            let end = text.firstIndex(of: 0x0A)
        else { return 0 }
        return end + 1
    }

    private func describe(_ part: inout MIMEPart, _ object: UnsafeMutableRawPointer) {
        if let type = cgmime_content_type(object) {
            let media = GMime.text(g_mime_content_type_get_media_type(type)) ?? "text"
            let subtype = GMime.text(g_mime_content_type_get_media_subtype(type)) ?? ""
            part.type = Self.typeName(media, subtype)
            part.charset = GMime.text(g_mime_content_type_get_parameter(type, "charset"))
        }
        // RFC 2045, section 5.2: what has no type that can be read is text.
        if let given = part.headerValue("Content-Type"), !given.prefix(while: { $0 != ";" }).contains("/") {
            part.type = "text/plain"
        }
        if part.charset == nil, part.isText { part.charset = "us-ascii" }
        part.name = GMime.text(cgmime_filename(object)).flatMap { HeaderForm.clean($0).nonEmpty }
        if part.name != nil {
            part.name = ParameterReader.encodedName(in: part.headers) ?? part.name
        }
        part.disposition = GMime.text(cgmime_disposition(object))?.lowercased().nonEmpty
        part.encoding = TransferEncoding(name: part.headerValue("Content-Transfer-Encoding") ?? "")
        if part.isMultipart { part.encoding = .binary }
    }

    static func typeName(_ media: String, _ subtype: String) -> String {
        let media = media.lowercased()
        if !subtype.isEmpty { return "\(media)/\(subtype.lowercased())" }
        // "text" alone is an old way to say plain text.
        return media == "text" || media.isEmpty ? "text/plain" : "application/octet-stream"
    }
}

extension Range<Int> {
    /// Whatever numbers come in, a range that lies within `count` elements.
    init(from start: Int, to end: Int, within count: Int) {
        let start = Swift.min(Swift.max(start, 0), count)
        self = start..<Swift.min(Swift.max(end, start), count)
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}
