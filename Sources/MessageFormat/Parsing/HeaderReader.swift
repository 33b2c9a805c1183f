import CGMime
import MailKernelAPI

/// Reads header fields as they stand in the message, where GMime says that they are.
struct HeaderReader {
    var fallback: Charset
    var limit: Int
    var frame: HeaderFrame

    struct Found {
        var offset: Int
        var field: HeaderField
    }

    func fields(of object: UnsafeMutableRawPointer, in bytes: Span<UInt8>) -> [Found] {
        let count = min(Int(cgmime_header_count(object)), limit)
        var found: [Found] = []
        found.reserveCapacity(count)
        for index in 0..<Int32(clamping: count) {
            guard let name = GMime.text(cgmime_header_name(object, index)) else { continue }
            let given = Int(cgmime_header_offset(object, index))
            let offset = given < 0 ? given : frame.place(of: given)
            // After lines that are not header fields, GMime returns a wrong offset or none.
            let value =
                value(of: name, at: offset, in: bytes)
                ?? Self.withoutLineEnd(GMime.text(cgmime_header_raw_value(object, index)) ?? "")
            found.append(Found(offset: offset, field: HeaderField(name: name, value: value)))
        }
        return found
    }

    private func value(of name: String, at offset: Int, in bytes: Span<UInt8>) -> String? {
        guard offset >= 0 else { return nil }
        var index = offset
        for byte in name.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return nil }
            index += 1
        }
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
        let end = Self.endOfField(from: index, in: bytes)
        var value: [UInt8] = []
        value.reserveCapacity(end - index)
        var (isASCII, hasEscape) = (true, false)
        for index in (index + 1)..<max(end, index + 1) {
            // What reads a text to its first NUL must not see the first half of an address alone.
            if bytes[index] == 0 { value += "\u{FFFD}".utf8 } else { value.append(bytes[index]) }
            if bytes[index] >= 0x80 { isASCII = false }
            if bytes[index] == 0x1B { hasEscape = true }
        }
        while value.last == UInt8(ascii: "\r") { value.removeLast() }
        return text(value, isASCII: isASCII, hasEscape: hasEscape)
    }

    private func text(_ value: [UInt8], isASCII: Bool, hasEscape: Bool) -> String {
        if isASCII, hasEscape { return Charset(kind: .guess).text(value.span).text }
        if isASCII { return String(decoding: value, as: UTF8.self) }
        return String(validating: value, as: UTF8.self) ?? fallback.text(value.span).text
    }

    /// Where the line feed is that ends the field, folded lines included.
    private static func endOfField(from start: Int, in bytes: Span<UInt8>) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") {
                let isFolded =
                    index + 1 < bytes.count && (bytes[index + 1] == 0x20 || bytes[index + 1] == 0x09)
                if !isFolded { return index }
            }
            index += 1
        }
        return bytes.count
    }

    /// Where the body begins, if a header field begins at `offset`.
    static func endOfHeader(after offset: Int, in bytes: Span<UInt8>) -> Int {
        var index = max(offset, 0)
        var isLineEmpty = true
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") {
                if isLineEmpty { return index + 1 }
                isLineEmpty = true
            } else if bytes[index] != UInt8(ascii: "\r") {
                isLineEmpty = false
            }
            index += 1
        }
        return bytes.count
    }

    private static func withoutLineEnd(_ text: String) -> String {
        var text = Substring(text)
        while let last = text.last, last.isNewline { text.removeLast() }
        return String(text)
    }
}
