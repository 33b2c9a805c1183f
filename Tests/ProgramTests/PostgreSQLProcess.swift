import Foundation
import TestSupport

/// `Tests/Servers/postgresql.py`: a PostgreSQL server with an empty database.
final class PostgreSQLProcess: Sendable {
    static var isInstalled: Bool { access("/usr/lib/postgresql/15/bin/postgres", X_OK) == 0 }

    /// For the setting `connection` of the plugin.
    let connection: String
    private let process: Command

    init() async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        let script = Checkout.root.appending(path: "Tests/Servers/postgresql.py").path
        process = try Command(TestServers.python, ["-B", script])
        guard await process.line(containing: "\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        connection = process.outputSoFar.trimmingCharacters(in: .newlines)
    }

    deinit { process.signal(SIGTERM) }
}
