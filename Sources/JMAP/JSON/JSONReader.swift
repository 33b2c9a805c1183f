import FoundationEssentials
import MailKernelAPI

/// Reads I-JSON (RFC 7493), as JMAP asks for: no name twice, no lone surrogate, no invalid UTF-8.
///
/// Not `JSONDecoder`: that one keeps the last of two equal names without a word, and finds out what a
/// value is by failing to decode it as everything else first. Nor StoreRules' reader: it takes all that a store holds.
struct JSONReader {
    /// Deeper than any filter that makes sense, and far from what a stack can take.
    static let maxDepth = 128

    private let bytes: [UInt8]
    private var index = 0

    /// - Throws: `JSONError` with the place where it stops being JSON.
    static func read(_ data: Data) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: [UInt8](data))
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.index == reader.bytes.count else { throw reader.error("there is data after the end") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func error(_ problem: String) -> JSONError { JSONError(offset: index, problem: problem) }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < Self.maxDepth else { throw error("it is nested too deeply") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("it is incomplete")
        default: return .number(try number())
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = index + text.utf8CodeUnitCount
        guard end <= bytes.count,
            text.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) })
        else { throw error("a value was expected") }
        index = end
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a name in quotes was expected") }
            let name = try name()
            guard take(UInt8(ascii: ":")) else { throw error("a colon was expected") }
            let member = try value(depth: depth + 1)
            guard members.updateValue(member, forKey: name) == nil else {
                throw error("the name “\(name.prefix(50))” occurs twice")
            }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw error("a comma or “}” was expected") }
        return .object(members)
    }

    private mutating func name() throws(JSONError) -> String {
        let name = try string()
        guard !ExactName.hasNoncharacter(name) else {
            throw error("a name contains a noncharacter")
        }
        return ExactName.of(name)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw error("a comma or “]” was expected") }
        return .array(elements)
    }

    private mutating func number() throws(JSONError) -> Double {
        let start = index
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        if next == UInt8(ascii: "-") { index += 1 }
        guard isDigit(next) else { throw error("a value was expected") }
        if next == UInt8(ascii: "0") { index += 1 } else { while isDigit(next) { index += 1 } }
        if next == UInt8(ascii: ".") {
            index += 1
            guard isDigit(next) else { throw error("a digit was expected") }
            while isDigit(next) { index += 1 }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard isDigit(next) else { throw error("a digit was expected") }
            while isDigit(next) { index += 1 }
        }
        guard index - start <= 64, let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)),
            number.isFinite
        else { throw error("the number is out of range") }
        return number
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        // Most strings are one run of bytes without escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            defer { index += 1 }
            return try text(bytes[start..<index])
        }
        var unescaped = Array(bytes[start..<index])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return try text(unescaped[...])
            case UInt8(ascii: "\\"):
                index += 1
                try escape(into: &unescaped)
            case 0..<0x20: throw error("a string contains a control character")
            default:
                unescaped.append(byte)
                index += 1
            }
        }
        throw error("a string is not terminated")
    }

    private func text(_ slice: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw error("a string is not UTF-8")
        }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("a string is not terminated") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(Character(try unicodeEscape())).utf8))
        default: throw error("“\\\(Character(UnicodeScalar(byte)))” is not a valid escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> UnicodeScalar {
        let first = try hexDigits()
        if let scalar = UnicodeScalar(first) { return scalar }
        guard first < 0xDC00, next == UInt8(ascii: "\\") else {
            throw error("half of a surrogate pair is missing")
        }
        index += 1
        guard next == UInt8(ascii: "u") else { throw error("half of a surrogate pair is missing") }
        index += 1
        let second = try hexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = UnicodeScalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw error("half of a surrogate pair is missing") }
        return scalar
    }

    private mutating func hexDigits() throws(JSONError) -> UInt32 {
        guard bytes.count - index >= 4 else { throw error("a string is not terminated") }
        var number: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("four hexadecimal digits were expected")
            }
            number = number << 4 | UInt32(digit)
        }
        index += 4
        return number
    }
}

struct JSONError: Error, Hashable, CustomStringConvertible {
    var offset: Int
    var problem: String

    var description: String { "At byte \(offset): \(problem)." }
}
