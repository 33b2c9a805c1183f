import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite("The settings say where the server is") struct SettingsTests {
    @Test(
        arguments: [
            ([:], "no server is set up"),
            (["connection": ""], "no server is set up"),
            (["connection": "host=a password=secret"], "must not contain a password"),
            (["connection": "postgresql://me:secret@a/mail"], "must not contain a password"),
            (["connection": "no equal sign"], "not a PostgreSQL connection string"),
            (["connection": "host=a", "schema": "x; DROP TABLE y"], "“schema”"),
            (["connection": "host=a", "schema": "Mail"], "“schema”"),
            (["connection": "host=a", "schema": 7], "“schema”"),
            (["connection": "host=a", "servers": 7], "“servers” is not an object"),
            (["connection": "host=a", "servers": ["home": "host=b"]], "other than “home”"),
            (["connection": "host=a", "servers": ["two": "no equal sign"]], "“servers.two” is not a"),
            (["connection": "host=a", "servers": ["two": "password=x"]], "password-NAME"),
        ] as [([String: JSONValue], String)])
    func anUnusableSettingIsExplained(_ values: [String: JSONValue], _ reason: String) {
        let problem = #expect(throws: SettingsProblem.self) { try ServerSettings(PluginSettings(values)) }
        #expect(problem?.description.contains(reason) ?? false)
    }

    @Test func withoutAServerThereIsNoStore() {
        #expect(throws: SettingsProblem.self) { try PostgreSQLPlugin.makeProvider(host: .forTesting()) }
    }

    @Test func severalHostsAreOneServer() throws {
        let values: [String: JSONValue] = ["connection": "host=one,two port=5432,5433 dbname=mail"]
        #expect(try ServerSettings(PluginSettings(values)).schema == "mailkernel")
    }

    @Test(
        arguments: [
            ("host=db.example.org dbname=mail", "db.example.org"),
            ("host=one,two port=5432,5433", "one, two"),
            ("postgresql://me@db.example.org:5433/mail", "db.example.org"),
            ("hostaddr=10.0.0.7", "10.0.0.7"),
            ("host=/run/postgresql user=me", "localhost"),
            ("dbname=mail", "localhost"),
        ])
    func theUserReadsTheNameOfTheServer(_ connection: String, _ name: String) throws {
        let settings = try ServerSettings(PluginSettings(["connection": .string(connection)]))
        #expect(PostgreSQLStorage(.forTesting(), settings).place == .server(name: name))
    }
}
