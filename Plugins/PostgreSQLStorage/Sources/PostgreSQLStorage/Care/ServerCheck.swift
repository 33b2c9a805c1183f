import FoundationEssentials
import MailKernelAPI

/// Looks at how the server is set up, as far as mail can be lost by it.
struct ServerCheck {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func findings() throws(StorageError) -> [String] {
        var findings: [String] = []
        do throws(StorageError) {
            try Opening.checkVersion(connection.serverVersion)
        } catch .unsupported(let sentence) {
            findings.append(sentence)
        }
        for (setting, danger) in Self.dangers where try isOff(setting) {
            findings.append(
                "“\(setting)” is off on the database server: \(danger). Run “ALTER SYSTEM SET \(setting) = on” and "
                    + "“SELECT pg_reload_conf()” as its administrator.")
        }
        if let sentence = Self.clockFinding(try clockDifference()) { findings.append(sentence) }
        return findings
    }

    private static let dangers = [
        ("fsync", "a power cut can damage the whole database"),
        ("full_page_writes", "a power cut can damage the whole database"),
        ("synchronous_commit", "a crash of the server can lose mail that was already confirmed as saved"),
    ]

    private func isOff(_ setting: String) throws(StorageError) -> Bool {
        try connection.first("SELECT current_setting($1) = 'off'", [.text(setting)]) { $0.flag(0) } ?? false
    }
}

// MARK: The clock

extension ServerCheck {
    /// The seconds that the server's clock is ahead of this computer's.
    private func clockDifference() throws(StorageError) -> Double {
        let before = Date()
        let server = try connection.first(
            "SELECT extract(epoch FROM clock_timestamp())::double precision", once: true
        ) { $0.real(0) }
        let travel = Date().timeIntervalSince(before)
        return (server ?? 0) - before.timeIntervalSince1970 - travel / 2
    }

    static func clockFinding(_ ahead: Double) -> String? {
        let seconds = Int(min(abs(ahead), 1e9))
        guard seconds >= 5 else { return nil }
        return
            "The clock of the database server is \(seconds) seconds \(ahead > 0 ? "ahead of" : "behind") this "
            + "computer's. Set both by a time server."
    }
}
