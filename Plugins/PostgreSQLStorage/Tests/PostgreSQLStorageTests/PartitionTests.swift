import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A network that was cut costs nothing but time",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."),
    .enabled(if: getuid() == 0, "Only root can make a network."))
struct PartitionTests {
    @Test func aWriterGoesOnWhereItWas() async throws {
        let server = try TestServer("-c listen_addresses=127.0.0.1", isIsolated: true)
        let database = try OwnDatabase(on: server.connection)
        let process = try String(contentsOfFile: server.folder + "/data/postmaster.pid", encoding: .utf8)
            .prefix { $0.isNumber }
        let network = ["/usr/bin/nsenter", "--net=/proc/\(process)/ns/net"]
        try await database.withStore { store in
            let connection = "host=127.0.0.1 sslmode=disable user=mail dbname=\(database.name)"
            let writer = try WritingProgram("a", database, connection: connection, through: network)
            // Shorter and longer than the silence after which a connection asks whether its server still answers.
            for pause in [0.2 * Connection.shortSilence, 3 * Connection.shortSilence] {
                try await writer.awaitProgress()
                try Self.setLink("down", network)
                // The cut has this length: there is nothing to wait for meanwhile.
                try await Task.sleep(for: .seconds(pause))
                try Self.setLink("up", network)
            }
            try await writer.awaitProgress()
            try await writer.stop()
            try await writer.expectAll(in: store)
        }
    }

    private static func setLink(_ state: String, _ network: [String]) throws {
        try TestServer.run(
            "\(network.joined(separator: " ")) ip link set lo \(state)", [])
    }
}
