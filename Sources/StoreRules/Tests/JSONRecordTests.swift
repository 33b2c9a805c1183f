import Foundation
import MailKernelAPI
import StoreRules
import Testing

/// ORG-95: documents are written and read as JSONEncoder and JSONDecoder do it, only faster.
@Suite("Documents as bytes") struct JSONRecordTests {
    private static func foundation(_ value: JSONValue) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static let values: [JSONValue] = [
        nil, true, false, 0, -1, 5, 0.1, -2.5, 1e20, 1e-7,
        .number(.leastNonzeroMagnitude), .number(.greatestFiniteMagnitude), .number(9_007_199_254_740_992),
        .number(-9_223_372_036_854_775_808), .number(-0.0), 123_456_789.125,
        "", "plain", "\"quoted\" \\ / \u{8}\u{9}\u{A}\u{C}\u{D}\u{0}\u{1F}\u{7F}\u{2028}",
        "é e\u{301} 😀 \u{FFFF}",
        [], [:], [1, [2, [3, []]], ["a": nil]],
        [
            "b": 1, "a": 2, "B": 3, "_0": 4, "10": 5, "9": 6, "é": 7, "z": 8, "e": 9, "": 10, "\"": 11,
            "😀": 12,
            "ab": 13, "a b": 14, "A1": 15, "a-b": 16, "\u{FFFD}": 17,
        ],
    ]

    @Test(arguments: values) func bytesAreThoseOfFoundation(_ value: JSONValue) throws {
        let bytes = try JSONRecord.encode(value)
        #expect(bytes == (try Self.foundation(value)), "\(String(decoding: bytes, as: UTF8.self))")
        #expect(try JSONRecord.decode(JSONValue.self, bytes) == value)
    }

    @Test func randomValuesComeBackAsTheyWere() throws {
        var dice = Dice()
        for _ in 0..<500 {
            let value = dice.value(levels: 5)
            let bytes = try JSONRecord.encode(value)
            #expect(try bytes == Self.foundation(value))
            #expect(try JSONRecord.decode(JSONValue.self, bytes) == value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: bytes) == value)
        }
    }

    /// Also with spaces and escapes that we never write.
    @Test(arguments: [
        " { \"a\" : [ 1 , 2.5e-3 ] ,\n\t\"b\" : null }\r\n", "\"\\u00e9\\ud83d\\ude00\\/\\b\"", "-0", "1E+2",
        "12345678901234567890", "0.000000000000000000000000000001", "\"\u{7F}\"",
    ])
    func foreignBytesAreReadAlike(_ text: String) throws {
        let expected = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(try JSONRecord.decode(JSONValue.self, Data(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "01", "-", "+1",
        "1.", ".5",
        "1e", "1e999", "nan", "truest", "tru", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\u{1}\"", "1 1", "[]]",
    ])
    func damagedBytesAreRefused(_ text: String) {
        #expect(throws: StorageError.self) { try JSONRecord.decode(JSONValue.self, Data(text.utf8)) }
    }

    @Test func damagedTextIsRefused() {
        #expect(throws: StorageError.self) {
            try JSONRecord.decode(JSONValue.self, Data([0x22, 0xC3, 0x28, 0x22]))
        }
    }

    /// Levels are bounded both ways: nothing is written that cannot be read, and no bytes exhaust the stack.
    @Test func nestingIsBounded() throws {
        func nested(_ levels: Int) -> JSONValue { (0..<levels).reduce(1) { value, _ in [value] } }
        let deepest = try JSONRecord.encode(nested(512))
        #expect(try JSONRecord.decode(JSONValue.self, deepest) == nested(512))
        #expect(throws: StorageError.self) { try JSONRecord.encode(nested(513)) }
        let hostile = Data(String(repeating: "[", count: 1_000_000).utf8)
        #expect(throws: StorageError.self) { try JSONRecord.decode(JSONValue.self, hostile) }
    }

    @Test func numbersThatJSONDoesNotHaveAreRefused() {
        #expect(throws: StorageError.self) { try JSONRecord.encode(JSONValue.array([.number(.nan)])) }
        #expect(throws: StorageError.self) { try JSONRecord.encode(JSONValue.number(.infinity)) }
    }
}

/// The same values each time.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64 = 88

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }

    mutating func value(levels: Int) -> JSONValue {
        switch Int.random(in: 0..<(levels > 0 ? 7 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(.random(using: &self))
        case 2: return .number(Double(Int64.random(in: .min ... .max, using: &self)))
        case 3: return .number(.random(in: -1e6...1e6, using: &self))
        case 4: return .string(text())
        case 5:
            let count = Int.random(in: 0...4, using: &self)
            return .array((0..<count).map { _ in value(levels: levels - 1) })
        default:
            let count = Int.random(in: 0...4, using: &self)
            let members = (0..<count).map { _ in (text(), value(levels: levels - 1)) }
            return .object(Dictionary(members) { first, _ in first })
        }
    }

    private mutating func text() -> String {
        let characters = Array("abcXYZ019_-/\\\"\n\u{1}é漢😀 ")
        let count = Int.random(in: 0...6, using: &self)
        return String((0..<count).compactMap { _ in characters.randomElement(using: &self) })
    }
}
