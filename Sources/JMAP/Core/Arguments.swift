import FoundationEssentials
import MailKernelAPI

/// The arguments of a method call, or another JSON object from outside, read one by one and checked. `null`
/// counts as missing. `finish` rejects unread arguments.
struct Arguments {
    private let members: [String: JSONValue]
    private var unread: Set<String>

    init(_ members: [String: JSONValue]) {
        self.members = members
        unread = Set(members.keys)
    }

    /// The given names, sorted.
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
        guard let string = value.stringValue else { throw .invalidArguments(name, "must be a string") }
        return string
    }

    /// An id, a state or another name that is compared by its code points.
    mutating func name(_ name: String) throws(MethodError) -> String? { try string(name).map(ExactName.of) }

    mutating func names(_ name: String) throws(MethodError) -> [String]? {
        try strings(name)?.map(ExactName.of)
    }

    mutating func bool(_ name: String, default fallback: Bool = false) throws(MethodError) -> Bool {
        guard let value = value(name) else { return fallback }
        guard let bool = value.boolValue else { throw .invalidArguments(name, "must be true or false") }
        return bool
    }

    /// The range of an `Int` in JMAP: the integers that a double represents exactly (RFC 8620, section 1.3).
    private static let ints = -(1 << 53) + 1...(1 << 53) - 1

    mutating func int(_ name: String) throws(MethodError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let int = value.intValue, Self.ints.contains(int) else {
            throw .invalidArguments(name, "must be a whole number")
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
        guard let object = value.objectValue else { throw .invalidArguments(name, "must be an object") }
        return object
    }

    /// An object of creation ids, which are ids (RFC 8620, section 1.2).
    mutating func created(_ name: String) throws(MethodError) -> [String: JSONValue] {
        let objects = try required(try object(name), name)
        guard objects.keys.allSatisfy({ Id<Any>($0).isValid }) else {
            throw .invalidArguments(name, "must contain creation ids of A-Z, a-z, 0-9, - and _")
        }
        return objects
    }

    mutating func array(_ name: String) throws(MethodError) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard let array = value.arrayValue else { throw .invalidArguments(name, "must be an array") }
        return array
    }

    mutating func strings(_ name: String) throws(MethodError) -> [String]? {
        guard let array = try array(name) else { return nil }
        let strings = array.compactMap(\.stringValue)
        guard strings.count == array.count else {
            throw .invalidArguments(name, "must be an array of strings")
        }
        return strings
    }

    /// An array of ids, each once.
    mutating func ids(_ name: String) throws(MethodError) -> [String]? {
        guard let strings = try names(name) else { return nil }
        var seen: Set<String> = []
        return strings.filter { seen.insert($0).inserted }
    }

    mutating func date(_ name: String) throws(MethodError) -> Date? {
        guard let text = try string(name) else { return nil }
        guard let date = JMAPDate.readUTC(text) else {
            throw .invalidArguments(name, "must be a date like 2014-10-30T06:12:00Z")
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

    /// Rejects unread arguments.
    func finish() throws(MethodError) {
        guard let name = unread.min() else { return }
        throw .invalidArguments(name, "is not an argument of this method")
    }
}
