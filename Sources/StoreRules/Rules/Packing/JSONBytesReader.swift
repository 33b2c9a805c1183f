import FoundationEssentials
import MailKernelAPI

/// Reads a `JSONValue` from bytes.
///
/// JSONDecoder finds out what a value is by failing to decode it as everything else first, which takes longer than
/// everything else that is done with a document. The bytes may be damaged: nothing in them is trusted.
struct JSONBytesReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// - Throws: `.corrupt` for bytes of anything else.
    static func read(_ data: Data) throws(StorageError) -> JSONValue {
        let value = data.withUnsafeBytes { bytes -> JSONValue? in
            var reader = JSONBytesReader(bytes: bytes.bindMemory(to: UInt8.self))
            guard let value = reader.value(level: 0) else { return nil }
            reader.skipSpace()
            // Not with `?:`, where nil would be a `JSONValue`, too: its null.
            guard reader.next == nil else { return nil }
            return value
        }
        guard let value else { throw .corrupt(reason: "a record is not JSON") }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else {
            return false
        }
        index = end
        return true
    }

    /// Nil for anything that is not JSON.
    private mutating func value(level: Int) -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return level < JSONBytes.mostLevels ? object(level: level) : nil
        case UInt8(ascii: "["): return level < JSONBytes.mostLevels ? array(level: level) : nil
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number().map { .number($0) }
        }
    }

    private mutating func object(level: Int) -> JSONValue? {
        index += 1
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")),
                let member = value(level: level + 1)
            else { return nil }
            members[name] = member
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? .object(members) : nil
    }

    private mutating func array(level: Int) -> JSONValue? {
        index += 1
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            guard let element = value(level: level + 1) else { return nil }
            elements.append(element)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? .array(elements) : nil
    }
}

// MARK: Numbers

extension JSONBytesReader {
    private var isAtDigit: Bool { next.map { (0x30...0x39).contains($0) } ?? false }

    /// Skips digits. Returns false if there are none.
    private mutating func skipDigits() -> Bool {
        guard isAtDigit else { return false }
        while isAtDigit { index += 1 }
        return true
    }

    private mutating func number() -> Double? {
        let start = index
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let first = index
        guard skipDigits(), bytes[first] != UInt8(ascii: "0") || index == first + 1 else { return nil }
        // Most are whole, and short enough for each step to be exact.
        let digits = index - first
        var isWhole = true
        if next == UInt8(ascii: ".") {
            index += 1
            isWhole = false
            guard skipDigits() else { return nil }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            isWhole = false
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() else { return nil }
        }
        guard isWhole, digits <= 15 else {
            let number = Double(String(decoding: bytes[start..<index], as: UTF8.self))
            return number.flatMap { $0.isFinite ? $0 : nil }
        }
        let whole = bytes[first..<index].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return isNegative ? -Double(whole) : Double(whole)
    }
}

// MARK: Strings

extension JSONBytesReader {
    private mutating func string() -> String? {
        index += 1
        let start = index
        // Most strings are one run of bytes without escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            defer { index += 1 }
            return String(validating: bytes[start..<index], as: UTF8.self)
        }
        var text = Array(bytes[start..<index])
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard takeEscape(into: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func takeEscape(into text: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = escapedScalar() else { return false }
            text.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: return false
        }
        return true
    }

    private mutating func escapedScalar() -> UnicodeScalar? {
        guard let first = hexDigits() else { return nil }
        if let scalar = UnicodeScalar(first) { return scalar }
        guard first < 0xDC00, take("\\u"), let second = hexDigits(), (0xDC00..<0xE000).contains(second) else {
            return nil
        }
        return UnicodeScalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    private mutating func hexDigits() -> UInt32? {
        guard bytes.count - index >= 4 else { return nil }
        var number: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard byte < 0x80, let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            number = number << 4 | UInt32(digit)
        }
        index += 4
        return number
    }
}
