import FoundationEssentials

/// What a server says that it can do (RFC 2449).
struct POP3Capabilities: Sendable, Equatable {
    /// Whether it answered the question at all.
    var areKnown = false
    private var lines: [String: [String]] = [:]

    init() {}

    init(_ lines: [String]) {
        areKnown = true
        for line in lines.prefix(100) {
            let words = line.uppercased().split(separator: " ").map(String.init)
            guard let name = words.first, self.lines[name] == nil else { continue }
            self.lines[name] = Array(words.dropFirst())
        }
    }

    func has(_ name: String) -> Bool { lines[name] != nil }

    /// As `Authentication` knows the capabilities of IMAP.
    var mechanisms: Set<String> { Set((lines["SASL"] ?? []).map { "AUTH=\($0)" }) }

    /// Whether USER and PASS may be tried: old servers without CAPA have no other way.
    var hasPasswords: Bool { !areKnown || has("USER") || mechanisms.isEmpty }

    /// Old servers without CAPA may have them.
    var mayHaveTop: Bool { !areKnown || has("TOP") }

    /// Seconds between two sign-ins; nil if the server does not say.
    var loginDelay: Double? {
        guard let seconds = lines["LOGIN-DELAY"]?.first.flatMap({ Int($0) }) else { return nil }
        return Double(min(max(0, seconds), 86_400))
    }
}
