/// The hosts that a plugin's manifest lists: names, `*.name` for all below it, `*` for any.
struct HostRules: Sendable {
    private let patterns: [String]

    init(_ patterns: [String]) {
        self.patterns = patterns.map { $0.lowercased() }
    }

    func allow(_ host: String) -> Bool {
        var name = Substring(host.lowercased())
        // “example.org.” is the same place.
        if name.last == "." { name.removeLast() }
        guard !name.isEmpty else { return false }
        return patterns.contains { pattern in
            if pattern == "*" { return true }
            guard pattern.hasPrefix("*.") else { return pattern == name }
            // What stands before the dot must not be empty.
            return name.hasSuffix(pattern.dropFirst()) && name.count > pattern.count - 1
        }
    }
}
