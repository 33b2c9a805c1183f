import Foundation
import TestSupport
import Testing

@Suite("The list of connections, from the command line", .timeLimit(.minutes(10)))
struct ConnectionsCommandTests {
    /// A file as the program writes it, and the lines that it is shown as.
    @Test func itIsATableInPlainWords() async throws {
        let program = try Installed()
        let now = Date()
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        func line(_ id: String, _ host: String, _ ago: Double) -> String {
            """
            {"began":"\((now - ago).formatted(style))","connection":"\(id)","host":"\(host)","plugin":"org.example.a",\
            "port":993,"process":{"began":"0","id":1},"purpose":"fetch mail"}
            """
        }
        let ended = """
            {"connection":"1","ended":"\((now - 95).formatted(style))","purposes":["fetch mail"],"received":1234567,\
            "requests":1,"sent":999}
            """
        let day = now.formatted(Date.ISO8601FormatStyle().year().month().day())
        try program.place.write(
            [line("1", "imap.example.org", 100), ended, line("2", "smtp.example.org", 50)].joined(
                separator: "\n")
                + "\n", to: "data/connections/\(day).jsonl")
        let table = try await program.run("connections", "--days", "2", loadsPlugins: false)
        let rows = table.output.split(separator: "\n")
        #expect(rows.count == 3 && rows[0].hasPrefix("TIME (UTC)"), "\(table.output) \(table.errors)")
        #expect(rows[1].contains("smtp.example.org:993") && rows[1].contains("cut off"))
        #expect(
            rows[2].contains(/org\.example\.a +imap\.example\.org:993 +1\.2 MB +999 B +5 s +fetch mail$/),
            "\(rows[2])")
        let json = try await program.run("connections", "--json", loadsPlugins: false)
        let objects = try json.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.map { $0?["state"] as? String } == ["interrupted", "finished"])
    }

    @Test func nothingIsSaidInASentence() async throws {
        let program = try Installed()
        let result = try await program.run("connections", loadsPlugins: false)
        #expect(result.output == "No connections in the last 30 days.\n", "\(result.errors)")
        #expect(try await program.run("connections", "--days", "31", loadsPlugins: false).status == 64)
    }
}
