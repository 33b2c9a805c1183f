import FoundationEssentials

/// A mailbox name in the server's form and in readable form.
///
/// Names are in modified UTF-7 (RFC 3501, section 5.1.3), or in UTF-8 if enabled. Anything else is shown
/// unchanged.
struct MailboxName: Hashable, Sendable {
    /// What commands say.
    let wire: String

    static let inbox = MailboxName(wire: "INBOX")

    init(wire: String) {
        // INBOX is the one name without regard to case.
        self.wire = wire.uppercased() == "INBOX" ? "INBOX" : wire
    }

    init(_ name: String, isUTF8: Bool) {
        self.init(wire: isUTF8 ? name : ModifiedUTF7.encode(name))
    }

    var shown: String { ModifiedUTF7.decode(wire) ?? wire }
}

enum ModifiedUTF7 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,".utf8)

    static func encode(_ text: String) -> String {
        var result = ""
        var shifted: [UInt16] = []
        func endShift() -> String {
            defer { shifted = [] }
            return shifted.isEmpty ? "" : "&\(base64(shifted))-"
        }
        for scalar in text.unicodeScalars {
            guard (0x20...0x7e).contains(scalar.value) else {
                shifted += Array(String(scalar).utf16)
                continue
            }
            result += endShift()
            result += scalar == "&" ? "&-" : String(scalar)
        }
        return result + endShift()
    }

    /// Nil if it is not of this encoding.
    static func decode(_ text: String) -> String? {
        var result = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<start], as: UTF8.self)
            let body = rest[rest.index(after: start)...]
            guard let end = body.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            if end == body.startIndex {
                result += "&"
            } else {
                guard let units = units(body[..<end]), let part = String(validating: units, as: UTF16.self)
                else { return nil }
                result += part
            }
            rest = body[body.index(after: end)...]
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private static func base64(_ units: [UInt16]) -> String {
        var bits: UInt32 = 0
        var count = 0
        var result: [UInt8] = []
        for unit in units {
            bits = bits << 16 | UInt32(unit)
            count += 16
            while count >= 6 {
                count -= 6
                result.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func units(_ text: some Sequence<UInt8>) -> [UInt16]? {
        var bits: UInt32 = 0
        var count = 0
        var result: [UInt16] = []
        for byte in text {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 16 {
                count -= 16
                result.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
            }
            bits &= (1 << UInt32(count)) - 1
        }
        return bits == 0 && count < 6 ? result : nil
    }
}
