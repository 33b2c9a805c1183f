/// The hosts that a plugin may contact: names, `*.name` for all below it, `*` for any, or for any of some.
struct HostRules: Sendable {
    private let patterns: [String]
    private let isAny: @Sendable (String) -> Bool

    /// - Parameter isAny: decides about hosts for `*`; by default all are allowed.
    init(_ patterns: [String], isAny: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.patterns = patterns.map { $0.lowercased() }
        self.isAny = isAny
    }

    func allow(_ host: String) -> Bool {
        let name = Self.plain(host)
        guard !name.isEmpty else { return false }
        return patterns.contains { pattern in
            if pattern == "*" { return isAny(name) }
            guard pattern.hasPrefix("*.") else { return pattern == name }
            // What stands before the dot must not be empty.
            return name.hasSuffix(pattern.dropFirst()) && name.count > pattern.count - 1
        }
    }

    /// A name as it is compared: “ Example.org.” is the same place as “example.org”.
    static func plain(_ host: String) -> String {
        var name = host.lowercased().drop(while: \.isWhitespace)
        while name.last?.isWhitespace == true { name.removeLast() }
        if name.last == "." { name.removeLast() }
        return String(name)
    }
}
