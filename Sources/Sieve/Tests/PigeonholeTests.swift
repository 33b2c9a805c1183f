import Foundation
import Sieve
import Testing

/// The same scripts and messages, here and there. SIEVE_MESSAGES=2000 tries all scripts and as many messages: each
/// script decides about one mailbox of 100. Without it some scripts are tried on a few messages.
@Suite("Verdicts are those of Pigeonhole", .enabled(if: Pigeonhole.isInstalled, Pigeonhole.missing))
struct PigeonholeTests {
    private let messageCount = Int(ProcessInfo.processInfo.environment["SIEVE_MESSAGES"] ?? "") ?? 20
    /// Every fifth script: all kinds are among them.
    private let stride = ProcessInfo.processInfo.environment["SIEVE_MESSAGES"] == nil ? 5 : 1

    /// Real messages and made ones by turns, as far as there are some.
    private func messages() -> [[UInt8]] {
        let real = MessageMaker.real()
        var chosen: [[UInt8]] = []
        // In steps, so that a small sample has some of each origin.
        let step = max(1, real.count * 2 / max(messageCount, 1))
        for number in 0..<messageCount {
            let place = number / 2 * step
            let isReal = number % 2 == 1 && place < real.count
            chosen.append(isReal ? real[place] : Array(MessageMaker.made(number).utf8))
        }
        return chosen
    }

    @Test func everyScriptDecidesTheSame() throws {
        let pigeonhole = try Pigeonhole()
        defer { pigeonhole.remove() }
        let messages = messages()
        let mailboxes = Swift.stride(from: 0, to: messages.count, by: 100).map {
            $0..<min($0 + 100, messages.count)
        }
        for (mailbox, places) in mailboxes.enumerated() {
            try pigeonhole.fill(Array(messages[places]), mailbox: mailbox)
        }
        let parsed = messages.map(RawMessage.init)
        var report = Differences()
        for number in Swift.stride(from: 0, to: ScriptMaker.count, by: stride)
        where !ScriptMaker.usesEnvelope(number) {
            let script = ScriptMaker.made(number)
            let mailbox = number / ScriptMaker.kinds % mailboxes.count
            let theirs = try pigeonhole.verdicts(script, mailbox: mailbox) ?? []
            let program = try SieveProgram(parsing: Array(script.utf8))
            try #require(theirs.count == mailboxes[mailbox].count, "Pigeonhole does not take \(script)")
            for (index, theirs) in zip(mailboxes[mailbox], theirs) {
                let ours = (try? program.verdict(on: parsed[index], host: PlainHost()).lines) ?? ["error"]
                report.add(script, index, ours, theirs)
            }
        }
        report.finish(messages)
    }

    @Test func envelopesDecideTheSame() throws {
        let pigeonhole = try Pigeonhole()
        defer { pigeonhole.remove() }
        let message = Array(MessageMaker.made(3).utf8)
        var report = Differences()
        let senders = ["bob@example.net", "ada+bills@example.org", "X.Y@sub.example.com", "b@b.example"]
        for number in Swift.stride(from: 0, to: ScriptMaker.count, by: stride)
        where ScriptMaker.usesEnvelope(number) {
            let script = ScriptMaker.made(number)
            for (index, sender) in senders.enumerated() {
                let to = senders[(index + number) % 4]
                let theirs = try pigeonhole.verdict(script, message, from: sender, to: to)
                let host = PlainHost(envelope: SieveEnvelope(from: sender, to: to))
                let ours = try? SieveProgram(parsing: Array(script.utf8)).verdict(
                    on: RawMessage(message), host: host)
                report.add(script, index, ours?.lines ?? ["error"], theirs ?? ["error"])
            }
        }
        report.finish([])
    }
}

/// Counts what was compared, and notes what differs.
struct Differences {
    private var compared = 0
    private var found: [String] = []
    private var places: Set<Int> = []

    mutating func add(_ script: String, _ message: Int, _ ours: [String], _ theirs: [String]) {
        compared += 1
        guard ours != theirs else { return }
        places.insert(message)
        found.append(
            "message \(message)\nours:   \(ours)\ntheirs: \(theirs)\n\(script.split(separator: "\n").dropFirst(3).joined(separator: "\n"))"
        )
    }

    func finish(_ messages: [[UInt8]]) {
        print("Compared \(compared) verdicts with Pigeonhole's: \(found.count) differ.")
        if let path = ProcessInfo.processInfo.environment["SIEVE_REPORT"] {
            try? Data(found.joined(separator: "\n\n").utf8).write(
                to: URL(filePath: "\(path)-\(messages.isEmpty ? "envelope" : "all").txt"))
            for place in places where messages.indices.contains(place) {
                try? Data(messages[place]).write(to: URL(filePath: "\(path)-\(place).eml"))
            }
        }
        #expect(found.isEmpty, "\(found.prefix(3).joined(separator: "\n\n"))")
    }
}
