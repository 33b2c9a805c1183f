import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// Two computers share a store. The one that looks after the account is killed, until the other one does.
enum TakeoverMeasure {
    private static let rounds = 4

    static func run(_ report: inout Report) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("postgresql.takeover", "dovecot-imapd is not installed")
        }
        let service = try await BenchMailService(messages: 50)
        let server = try await BenchServer()
        var running: [BenchProcess] = []
        do {
            let settings = server.settings(.socket, schema: "takeover")
            let computers = [
                try BenchComputer(settings, service: service), try BenchComputer(settings, service: service),
            ]
            for computer in computers { running.append(try await computer.start()) }
            var users = try running.map { try BenchUser($0) }
            let account = try await prepare(users, service)
            var samples = Samples()
            for round in 0..<rounds {
                let (gone, left) = (round % 2, (round + 1) % 2)
                try await users[left].wait(for: "elsewhere", of: account)
                let began = ContinuousClock.now
                await running[gone].end(SIGKILL)
                try await users[left].wait(for: "here", of: account)
                samples.add((ContinuousClock.now - began).milliseconds / 1_000)
                running[gone] = try await computers[gone].start()
                users[gone] = try BenchUser(running[gone])
            }
            report.add(
                Figure(
                    "postgresql.takeover",
                    "the slowest of \(rounds) times from the kill -9 of the program that looks after an account "
                        + "until another one does; median \(rounded(Waiting(samples).median)) s",
                    samples.worst, "s", against: "10 s", 10))
        } catch {
            report.fail("postgresql.takeover", "\(error)")
        }
        for process in running { await process.end() }
        await server.stop()
        await service.stop()
    }
    /// Both are signed in, and the first one looks after the account. Returns the account.
    private static func prepare(
        _ users: [BenchUser], _ service: BenchMailService
    ) async throws -> String {
        let account = try await users[0].signIn(to: service, ["setupId": "org.mailkernel.imap/imap"])
        try users[0].call("Preferences/set", ["update": ["singleton": ["isOnboardingComplete": true]]])
        try await users[0].wait(for: "here", of: account)
        try await users[1].wait(for: "signInNeeded", of: account)
        _ = try await users[1].signIn(to: service, ["accountId": .string(account)])
        return account
    }
}
