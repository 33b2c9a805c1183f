import FoundationEssentials
import TestSupport

/// The same mail, read through IMAP and through JMAP: one installation reads it from Dovecot, and others read it from
/// there and from that installation.
enum JMAPAccountBenchmark {
    static let parts = ["jmap-account."]
    private static let plugins = ["IMAPAccount", "JMAP", "SQLiteStorage"]

    static func run(_ report: inout Report, sizes: [Int]?) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("jmap-account.", "dovecot-imapd is not installed")
        }
        let size = sizes?.first ?? 10_000
        let service = try await BenchMailService(messages: size)
        print("A mailbox of \(size) messages, \(Int(service.megabytes)) MB: \(service.origin).")
        let source = try await BenchProgram(service, plugins: plugins, tlsPort: "0")
        try await source.signIn(service)
        _ = try await source.firstSync(of: size)
        let access = try await source.access()
        for latency in [0, 50] {
            let imap = try await throughIMAP(service, latency: latency)
            let jmap = try await throughJMAP(service, access, latency: latency)
            let name = "\(size)-\(latency)ms"
            report.add(
                Figure(
                    "jmap-account.full-\(name)", "until everything can be searched, through JMAP",
                    jmap.seconds,
                    "s", against: "through IMAP", imap.seconds, goal: 0.8))
            report.add(
                Figure(
                    "jmap-account.turns-\(name)", "round trips of that", jmap.turns, "",
                    against: "through IMAP", imap.turns, goal: 0.1))
        }
        try await measureNews(&report, service, access)
        await source.end()
        await service.stop()
    }

    private struct Reading {
        let seconds: Double
        let turns: Double
    }

    private static func throughIMAP(_ service: BenchMailService, latency: Int) async throws -> Reading {
        let relay = try await CountingRelay(to: service.imaps, milliseconds: latency)
        let program = try await BenchProgram(service, plugins: plugins)
        try await program.signIn(service, through: relay.port)
        return try await reading(program, relay, service.size)
    }

    private static func throughJMAP(
        _ service: BenchMailService, _ access: BenchProgram.Access, latency: Int
    ) async throws -> Reading {
        let relay = try await CountingRelay(to: access.port, milliseconds: latency)
        let program = try await BenchProgram(service, plugins: plugins, trusting: [access.certificate])
        try await program.signIn(at: relay.port, token: access.token)
        return try await reading(program, relay, service.size)
    }

    private static func reading(
        _ program: BenchProgram, _ relay: CountingRelay, _ size: Int
    ) async throws -> Reading {
        let before = try await relay.turns()
        let seconds = try await program.firstSync(of: size).all
        let turns = try await relay.turns() - before
        await program.end()
        await relay.stop()
        return Reading(seconds: seconds, turns: turns)
    }

    /// From a change in the installation that is read to its being shown by the one that reads.
    private static func measureNews(
        _ report: inout Report, _ service: BenchMailService, _ access: BenchProgram.Access
    ) async throws {
        let program = try await BenchProgram(service, plugins: plugins, trusting: [access.certificate])
        try await program.signIn(at: access.port, token: access.token)
        _ = try await program.firstSync(of: service.size)
        let listener = try HTTPConnection(beside: program.page)
        try listener.listen()
        var seconds: [Double] = []
        for number in 0..<5 {
            let began = try await service.number("deliver", "\(number)")
            try listener.wait(for: "\"EmailDelivery\"")
            seconds.append(Date().timeIntervalSince1970 - began)
            try await Task.sleep(for: .seconds(1))
        }
        report.add(
            Figure(
                "jmap-account.event", "from new mail on the server to the event of it", seconds.sorted()[2],
                "s", against: "1 s", 1))
        await program.end()
    }
}
