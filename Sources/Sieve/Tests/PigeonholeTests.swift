import Foundation
import Sieve
import Testing

/// The same scripts and messages, here and there. SIEVE_MESSAGES=2000 tries all scripts on that many messages;
/// without it some scripts are tried on a few.
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
        try pigeonhole.fill(messages)
        let parsed = messages.map(RawMessage.init)
        var report = Differences()
        for number in Swift.stride(from: 0, to: ScriptMaker.count, by: stride)
        where !ScriptMaker.usesEnvelope(number) {
            let script = ScriptMaker.made(number)
            let theirs = try pigeonhole.verdicts(script)
            let program = try? SieveProgram(parsing: Array(script.utf8))
            guard let program, let theirs, theirs.count == messages.count else {
                if (program == nil) != (theirs == nil) || theirs != nil {
                    report.add(
                        script, -1, ["compiles: \(program != nil)"], ["compiles: \(theirs?.count ?? -1)"])
                }
                continue
            }
            for (index, message) in parsed.enumerated() {
                let ours = (try? program.verdict(on: message, host: PlainHost()).lines) ?? ["error"]
                report.add(script, index, ours, theirs[index])
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
