import FoundationEssentials
import MailKernelAPI
import TestSupport

/// The whole program with an account on a mail server, until there is nothing more to read.
enum FirstSyncMeasure {
    static func run(_ report: inout Report, _ selection: PostgreSQLSelection) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("postgresql.sync", "dovecot-imapd is not installed")
        }
        let size = min(10_000, selection.sizes?.max() ?? 10_000)
        let service = try await BenchMailService(messages: size)
        let server = try await BenchServer()
        do {
            let theirs = try await sync(from: service, nil, size)
            for way in BenchServer.Way.all {
                let ours = try await sync(from: service, server.settings(way, schema: "sync_\(way)"), size)
                for (name, what, one, other) in [
                    ("first", "until the first 50 messages can be read", ours.first, theirs.first),
                    ("full", "until everything can be searched", ours.all, theirs.all),
                ] {
                    report.add(
                        Figure(
                            "postgresql.sync.\(name)-\(way)",
                            "\(what), of \(size) over IMAP, \(way.rawValue); SQLite: \(rounded(other)) s",
                            one, "s", against: "SQLite", other, goal: 2.5))
                }
            }
        } catch {
            report.fail("postgresql.sync", "\(error)")
        }
        await server.stop()
        await service.stop()
    }

    private static func sync(
        from service: BenchMailService, _ settings: PluginSettings?, _ size: Int
    ) async throws -> (first: Double, all: Double) {
        let program = try await BenchProgram(service, postgreSQL: settings)
        try await program.signIn(service)
        let times = try await program.firstSync(of: size)
        await program.end()
        return times
    }
}
