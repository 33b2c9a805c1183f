import CGMime
import FoundationEssentials
import MailKernelAPI

/// Parses a message with GMime. Never fails, whatever the bytes are.
struct MIMEReader {
    var limits: MessageParser.Limits
    private var partCount = 0

    init(limits: MessageParser.Limits) {
        self.limits = limits
    }

    mutating func read(_ message: Data) -> MIMEMessage {
        GMime.start
        let bytes = message.span
        let frame = HeaderFrame(bytes)
        let separated = frame.isSeparated ? nil : message.withUnsafeBytes { frame.separated($0) }
        let parsed = Owned(
            separated.map { $0.withUnsafeBytes { Self.parse($0, from: 0) } }
                ?? message.withUnsafeBytes { Self.parse($0, from: frame.start) })
        guard let parsed else { return withoutHeader(bytes, from: frame.start) }
        let fields = HeaderReader(
            fallback: Charset(forHeadersWithBody: Self.charset(of: parsed.pointer)),
            limit: limits.headerFields, frame: frame)
        let all = fields.fields(of: parsed.pointer, in: bytes)
        var root = part(parsed.pointer, fields: all, bytes, fields, depth: 0)
        let headers = root.headers
        // The others are the message's, which has them already.
        root.headers = headers.filter { $0.name.lowercased().hasPrefix("content-") }
        return MIMEMessage(headers: headers, root: root, fallbackCharset: fields.fallback)
    }

    private static func parse(
        _ buffer: UnsafeRawBufferPointer, from start: Int
    ) -> UnsafeMutableRawPointer? {
        buffer.baseAddress.flatMap { cgmime_parse($0 + start, UInt32(clamping: buffer.count - start)) }
    }

    /// What the message, or else its first part, says that its text is written in.
    private static func charset(of object: UnsafeMutableRawPointer, depth: Int = 0) -> String? {
        let own = cgmime_content_type(object).flatMap {
            GMime.text(g_mime_content_type_get_parameter($0, "charset"))
        }
        guard own == nil, depth < 8, cgmime_is_multipart(object), cgmime_child_count(object) > 0,
            let child = cgmime_child(object, 0)
        else { return own }
        return charset(of: child, depth: depth + 1)
    }

    /// A message without a header is text from its first byte on.
    private func withoutHeader(_ bytes: Span<UInt8>, from start: Int) -> MIMEMessage {
        var root = MIMEPart()
        root.charset = "us-ascii"
        root.range = Range(from: start, to: bytes.count, within: bytes.count)
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
            if part.subParts.isEmpty {
                makeText(&part, object, fields, bytes, root: depth == 0 ? reader.frame : nil)
            }
        } else {
            var (begin, end): (Int64, Int64) = (0, 0)
            if cgmime_content_range(object, &begin, &end) {
                part.range = Range(
                    from: reader.frame.place(of: Int(begin)), to: reader.frame.place(of: Int(end)),
                    within: bytes.count)
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
        _ bytes: Span<UInt8>, root: HeaderFrame?
    ) {
        guard cgmime_child_count(object) == 0 else { return }
        let body =
            root?.bodyStart
            ?? HeaderReader.endOfHeader(after: fields.map(\.offset).max() ?? 0, in: bytes)
        let length = root == nil ? cgmime_prologue(object).map { strlen($0) } ?? 0 : bytes.count - body
        part.type = "text/plain"
        part.charset = part.charset ?? "us-ascii"
        part.isMultipart = false
        part.range = Range(from: body, to: body + length, within: bytes.count)
    }

    private func describe(_ part: inout MIMEPart, _ object: UnsafeMutableRawPointer) {
        if let type = cgmime_content_type(object) {
            let media = GMime.text(g_mime_content_type_get_media_type(type)) ?? "text"
            let subtype = GMime.text(g_mime_content_type_get_media_subtype(type)) ?? ""
            part.type = Self.typeName(media, subtype)
            part.charset = GMime.text(g_mime_content_type_get_parameter(type, "charset"))
        }
        // RFC 2045, section 5.2: a missing or invalid type means plain text.
        if let given = part.headerValue("Content-Type"), !given.prefix(while: { $0 != ";" }).contains("/") {
            part.type = "text/plain"
        }
        if part.charset == nil, part.isText { part.charset = "us-ascii" }
        part.name = GMime.text(cgmime_filename(object)).flatMap {
            HeaderForm.clean(Self.withoutOpenQuote($0)).nonEmpty
        }
        part.name = ParameterReader.encodedName(in: part.headers) ?? part.name
        part.disposition = GMime.text(cgmime_disposition(object))?.lowercased().nonEmpty
        part.encoding = TransferEncoding(name: part.headerValue("Content-Transfer-Encoding") ?? "")
        if part.isMultipart { part.encoding = .binary }
    }

    /// Programs cut names, and with them the closing quotation mark.
    private static func withoutOpenQuote(_ name: String) -> String {
        guard name.first == "\"", !name.dropFirst().contains("\"") else { return name }
        return String(name.dropFirst())
    }

    static func typeName(_ media: String, _ subtype: String) -> String {
        let media = media.lowercased()
        if !subtype.isEmpty { return "\(media)/\(subtype.lowercased())" }
        // "text" alone is an old way to say plain text.
        return media == "text" || media.isEmpty ? "text/plain" : "application/octet-stream"
    }
}

extension Range<Int> {
    /// A valid range within `count` elements, for any two numbers.
    init(from start: Int, to end: Int, within count: Int) {
        let start = Swift.min(Swift.max(start, 0), count)
        self = start..<Swift.min(Swift.max(end, start), count)
    }
}
