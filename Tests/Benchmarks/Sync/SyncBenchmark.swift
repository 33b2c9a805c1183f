import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The same mailbox, read by this program and by those that people use together otherwise.
enum SyncBenchmark {
    static func run(_ report: inout Report, sizes: [Int]) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("sync.", "dovecot-imapd is not installed")
        }
        var peaks: [Double] = []
        // The middle size tells nothing that the others do not.
        for size in sizes where size != 50_000 {
            let service = try await BenchMailService(messages: size)
            let run = SyncRun(service: service)
            peaks.append(try await run.measure(&report))
            await service.stop()
        }
        guard let smallest = peaks.first, let largest = peaks.last, peaks.count > 1 else { return }
        report.add(
            Figure(
                "sync.flat", "the most memory for the largest mailbox", largest, "MB",
                against: "that for the smallest", smallest, goal: 1.25))
    }
}

private final class SyncRun {
    /// With a mailbox as large as this everything is done often enough to compare.
    private static let compared = 20_000
    private static let rounds = 5

    private let service: BenchMailService
    private var size: Int { service.size }
    private var isCompared: Bool { size <= Self.compared }

    init(service: BenchMailService) {
        self.service = service
    }

    /// Returns the most memory that the program took.
    func measure(_ report: inout Report) async throws -> Double {
        print("A mailbox of \(size) messages, \(Int(service.megabytes)) MB: \(service.origin).")
        let peers = MailPrograms(service: service)
        let floor = try await median(of: 3) { try await service.number("all") }
        let program = try await BenchProgram(service)
        try await program.signIn(service)
        // Making the vault takes much memory, which is its purpose, and is over.
        try program.forgetPeak()
        let (first, full) = try await program.firstSync(of: size)
        report.add(
            Figure(
                "sync.first-\(size)", "until the first 50 messages can be read", first, "s", against: "2 s", 2
            ))
        report.add(
            figure("full", "until everything can be searched", full, "one FETCH of everything", floor, 3))
        let hasPeers = isCompared && MailPrograms.has("mbsync", "mu", "notmuch")
        if hasPeers {
            try peers.prepareFetching()
            let (fetched, indexed) = (try await peers.mbsync(), try await peers.mu())
            report.add(
                figure(
                    "full.peers", "until everything can be searched", full, "mbsync and mu index",
                    fetched + indexed, 0.3))
            _ = try await peers.notmuch()
        } else if isCompared {
            report.leaveOut("sync.full.peers", "mbsync, mu and notmuch are not all installed")
        }
        try await measureChanges(&report, program, hasPeers ? peers : nil)
        try await measureNews(&report, program)
        let peak = try program.peak()
        report.add(
            Figure("sync.memory-\(size)", "the most memory of all this", peak, "MB", against: "150 MB", 150))
        await program.end()
        return peak
    }

    private func figure(
        _ name: String, _ what: String, _ value: Double, _ other: String, _ otherValue: Double, _ goal: Double
    ) -> Figure {
        Figure("sync.\(name)-\(size)", what, value, "s", against: other, otherValue, goal: goal)
    }

    /// Rounds of ten new messages and a hundred flags; and a round in which nothing has changed.
    private func measureChanges(
        _ report: inout Report, _ program: BenchProgram, _ peers: MailPrograms?
    ) async throws {
        var (ours, theirs, idle, idlePeer): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for number in 0..<Self.rounds {
            ours.append(try await changes(number, program))
            if let peers {
                theirs.append(try await peers.mbsync() + peers.notmuch())
                idlePeer.append(try await peers.mbsync())
            }
            idle.append(try await nothingChanged(program))
        }
        guard peers != nil else { return }
        report.add(
            figure(
                "delta", "10 new messages and 100 flags, until they can be searched", Self.middle(ours),
                "mbsync and notmuch new", Self.middle(theirs), 0.25))
        report.add(
            figure(
                "unchanged", "a round in which nothing has changed", Self.middle(idle), "mbsync",
                Self.middle(idlePeer), 0.5))
    }

    /// As the peers are started: both look when they are told to, and not when the server tells.
    private func changes(_ number: Int, _ program: BenchProgram) async throws -> Double {
        let flagged: JSONValue = ["hasKeyword": "$flagged"]
        let before = try program.count(flagged)
        _ = try await service.number("round", "\(number)")
        let listener = try HTTPConnection(beside: program.page)
        try listener.listen()
        let began = ContinuousClock.now
        try refresh(program)
        repeat {
            try listener.wait(for: "\"Email\"")
        } while try program.count(["subject": .string("round\(number)x9")]) < 1
            || program.count(flagged) < before + 100
        return (ContinuousClock.now - began) / .seconds(1)
    }

    private func refresh(_ program: BenchProgram) throws {
        try program.call("SyncStatus/refresh", ["accountId": "program", "ids": [.string(program.account)]])
    }

    private func nothingChanged(_ program: BenchProgram) async throws -> Double {
        let listener = try HTTPConnection(beside: program.page)
        try listener.listen()
        let began = ContinuousClock.now
        try refresh(program)
        try listener.wait(for: "\"SyncStatus\"")
        try await program.wait(for: "the round", every: 1) { try program.isListening() }
        return (ContinuousClock.now - began) / .seconds(1)
    }

    /// From new mail to the event on the stream that the page listens to. A server may take its time until it
    /// reports it, as Dovecot takes half a second: the peer is a client that does nothing but listen.
    private func measureNews(_ report: inout Report, _ program: BenchProgram) async throws {
        let listener = try HTTPConnection(beside: program.page)
        try listener.listen()
        let peer = try service.start("listen", "\(Self.rounds)")
        guard await peer.line(containing: "listening\n") else {
            throw BenchError(description: await peer.result().errors)
        }
        var (began, ended): ([Double], [Double]) = ([], [])
        for number in 0..<Self.rounds {
            began.append(try await service.number("deliver", "\(number)"))
            try listener.wait(for: "\"EmailDelivery\"")
            ended.append(Date().timeIntervalSince1970)
            // One message at a time: two reported at once would report the first one late.
            guard await peer.line(containing: "told \(number + 1) ") else {
                throw BenchError(description: "The client that listens was not told of message \(number).")
            }
            // Dovecot tells a connection twice a second at most, of what comes later when that is over.
            try await Task.sleep(for: .seconds(1))
        }
        let told = await peer.result().output.matches(of: /told \d+ (\S+)/).compactMap { Double($0.1) }
        let after = Self.middle(zip(ended, told).map { ($0 - $1) * 1_000 })
        report.add(
            Figure(
                "sync.event-\(size)", "from the server's telling of new mail to the event of it", after, "ms",
                against: "300 ms", 300))
        report.add(
            Figure(
                "sync.event.all-\(size)", "from new mail on the server to the event of it",
                Self.middle(zip(ended, began).map { ($0 - $1) * 1_000 }), "ms",
                against: "a client that listens",
                Self.middle(zip(told, began).map { ($0 - $1) * 1_000 }), goal: 1.6))
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
