/// Names of mailboxes as IMAP servers write them, also on disk (RFC 3501, section 5.1.3).
package enum FolderNameReader {
    /// Decodes modified UTF-7: `Entw&APw-rfe` is `Entwürfe`, and `&-` is `&`.
    ///
    /// - Returns: nil if this is no valid name of this form. Many names with `&` are plain.
    package static func name(of text: String) -> String? {
        var result = ""
        var rest = text.utf8[...]
        guard rest.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<start], as: UTF8.self)
            let body = rest[start...].dropFirst()
            guard let end = body.firstIndex(of: UInt8(ascii: "-")),
                let part = end == body.startIndex ? "&" : decoded(body[..<end])
            else { return nil }
            result += part
            rest = body[end...].dropFirst()
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    /// Nil where a server would have written something else: ASCII is never encoded.
    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var units: [UInt16] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in text {
            let digit = byte == UInt8(ascii: ",") ? 63 : OldCharsets.base64Value(byte)
            guard let digit, byte != UInt8(ascii: "/") else { return nil }
            bits = bits << 6 | digit
            count += 6
            if count >= 16 {
                count -= 16
                units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        guard bits == 0, count < 6, units.allSatisfy({ !(0x20...0x7E).contains($0) }) else { return nil }
        return String(validating: units, as: UTF16.self)
    }
}
