import CGMime
import FoundationEssentials

extension HeaderForm {
    /// Nil if there is no date in it.
    public static func date(of raw: String) -> HeaderDate? {
        GMime.start
        let text = unfolded(raw)
        guard text.utf8.count < 1000, let parsed = g_mime_utils_header_decode_date(withColons(text)) else {
            return nil
        }
        defer { g_date_time_unref(parsed) }
        let seconds = g_date_time_to_unix(parsed)
        // Years 1 to 9999: what RFC 3339 can write.
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        return HeaderDate(
            date: Date(timeIntervalSince1970: Double(seconds)),
            offset: Int(g_date_time_get_utc_offset(parsed) / 1_000_000))
    }

    /// Some programs write the time as `10.00.00`, which would be read as midnight.
    private static func withColons(_ date: String) -> String {
        guard !date.utf8.contains(UInt8(ascii: ":")) else { return date }
        var words = date.split(separator: " ").map {
            $0.split(separator: ".", omittingEmptySubsequences: false)
        }
        let times = words.indices.filter { index in
            (2...3).contains(words[index].count)
                && words[index].allSatisfy { (1...2).contains($0.count) && $0.allSatisfy(\.isNumber) }
        }
        // Of two, one is the day.
        guard times.count == 1 else { return date }
        words[times[0]] = [Substring(words[times[0]].joined(separator: ":"))]
        return words.map { $0.joined(separator: ".") }.joined(separator: " ")
    }

    /// Message-IDs without angle brackets; nil if there is none.
    public static func messageIDs(of raw: String) -> [String]? {
        let text = withoutComments(raw)
        let bracketed = bracketed(text)
        if !bracketed.isEmpty { return bracketed }
        // Some programs forget the brackets.
        let bare = text.split { $0.isWhitespace || $0 == "," || $0 == "<" || $0 == ">" }
            .filter { $0.contains("@") }.map(String.init)
        return bare.isEmpty ? nil : bare
    }

    /// The URLs of a field such as `List-Unsubscribe` (RFC 2369); nil if there is none.
    public static func urls(of raw: String) -> [String]? {
        let urls = bracketed(withoutComments(raw))
        return urls.isEmpty ? nil : urls
    }

    /// What stands between angle brackets, white space left out.
    private static func bracketed(_ text: String) -> [String] {
        var found: [String] = []
        var current: [UInt8]?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): current = []
            case UInt8(ascii: ">"):
                if let word = current, !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
                current = nil
            case 0...0x20, 0x7F: break
            default: current?.append(byte)
            }
        }
        return found
    }

    /// Without comments that stand outside of angle brackets and quotes.
    private static func withoutComments(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "(")) else { return text }
        var output: [UInt8] = []
        var depth = 0
        var (isBracketed, isQuoted, isEscaped) = (false, false, false)
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
                if depth == 0 { output.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\\") where !isBracketed: isEscaped = true
            case UInt8(ascii: "\"") where depth == 0 && !isBracketed: isQuoted.toggle()
            case UInt8(ascii: "(") where !isBracketed && !isQuoted: depth += 1
            case UInt8(ascii: ")") where depth > 0:
                depth -= 1
                output.append(0x20)
                continue
            case UInt8(ascii: "<") where depth == 0: isBracketed = true
            case UInt8(ascii: ">") where depth == 0: isBracketed = false
            default: break
            }
            if depth == 0 { output.append(byte) }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
