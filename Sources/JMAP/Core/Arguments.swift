import FoundationEssentials
import MailKernelAPI

/// The arguments of a method call, or another JSON object from outside, read one by one and checked.
/// `null` counts as not given. What nobody asked for in the end is refused by `finish`.
struct Arguments {
    private let members: [String: JSONValue]
    private var unread: Set<String>

    init(_ members: [String: JSONValue]) {
        self.members = members
        unread = Set(members.keys)
    }

    /// What was given, in order.
    var names: [String] { members.keys.sorted() }

    /// Whether it was given at all, be it as `null`.
    func has(_ name: String) -> Bool { members[name] != nil }

    mutating func value(_ name: String) -> JSONValue? {
        unread.remove(name)
        let value = members[name]
        return value == .null ? nil : value
    }

    mutating func string(_ name: String) throws(MethodError) -> String? {
        guard let value = value(name) else { return nil }
        guard let string = value.stringValue else { throw .invalidArguments(name, "has to be a string") }
        return string
    }

    mutating func bool(_ name: String, default fallback: Bool = false) throws(MethodError) -> Bool {
        guard let value = value(name) else { return fallback }
        guard let bool = value.boolValue else { throw .invalidArguments(name, "has to be true or false") }
        return bool
    }

    /// An `Int` of JMAP: whole, and within what a double can say exactly.
    mutating func int(_ name: String) throws(MethodError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let int = value.intValue, abs(int) < 1 << 53 else {
            throw .invalidArguments(name, "has to be a whole number")
        }
        return int
    }

    mutating func unsignedInt(_ name: String) throws(MethodError) -> Int? {
        guard let int = try int(name) else { return nil }
        guard int >= 0 else { throw .invalidArguments(name, "must not be negative") }
        return int
    }

    mutating func object(_ name: String) throws(MethodError) -> [String: JSONValue]? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw .invalidArguments(name, "has to be an object") }
        return object
    }

    mutating func array(_ name: String) throws(MethodError) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard let array = value.arrayValue else { throw .invalidArguments(name, "has to be an array") }
        return array
    }

    mutating func strings(_ name: String) throws(MethodError) -> [String]? {
        guard let array = try array(name) else { return nil }
        let strings = array.compactMap(\.stringValue)
        guard strings.count == array.count else {
            throw .invalidArguments(name, "has to be an array of strings")
        }
        return strings
    }

    /// An array of ids, each once.
    mutating func ids(_ name: String) throws(MethodError) -> [String]? {
        guard let strings = try strings(name) else { return nil }
        var seen: Set<String> = []
        return strings.filter { seen.insert($0).inserted }
    }

    mutating func date(_ name: String) throws(MethodError) -> Date? {
        guard let text = try string(name) else { return nil }
        guard let date = JMAPDate.read(text) else {
            throw .invalidArguments(name, "has to be a date like 2014-10-30T06:12:00Z")
        }
        return date
    }

    func required<Value>(_ value: Value?, _ name: String) throws(MethodError) -> Value {
        guard let value else { throw .invalidArguments(name, "is missing") }
        return value
    }

    mutating func everything() -> [String: JSONValue] {
        unread = []
        return members
    }

    /// Refuses what was not read.
    func finish() throws(MethodError) {
        guard let name = unread.min() else { return }
        throw .invalidArguments(name, "is not an argument of this method")
    }
}

/// `UTCDate` and `Date` of RFC 8620, section 1.4.
enum JMAPDate {
    static func write(_ date: Date) -> String {
        // Beyond these a year does not have four digits.
        let bounded = min(
            max(date, Date(timeIntervalSince1970: -62_135_596_800)),
            Date(timeIntervalSince1970: 253_402_300_799))
        return bounded.formatted(.iso8601)
    }

    /// With any offset, with or without fractions of a second.
    static func read(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return try? style.parse(text)
    }
}
