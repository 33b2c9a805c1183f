import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Network
import Secrets
import TestSupport
import Testing

@Suite("What leaves this machine, and where the secrets are") struct PrivacyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A connection a minute, the last of which the program did not see the end of.
    private func fillLedger(_ count: Int) throws {
        var lines: [String] = []
        let day = "2026-03-04"
        for number in 0..<count {
            let minute = number < 10 ? "0\(number)" : "\(number)"
            let plugin = number.isMultiple(of: 2) ? "org.example.mail" : "mailkernel"
            lines.append(
                #"{"connection":"c-\#(number)","process":{"id":1,"began":"-"},"began":"\#(day)T10:\#(minute):00.000Z","#
                    + #""plugin":"\#(plugin)","host":"imap.example.org","port":993,"purpose":"reading mail"}"#
            )
            guard number < count - 1 else { continue }
            lines.append(
                #"{"connection":"c-\#(number)","ended":"\#(day)T10:\#(minute):30.000Z","received":\#(number),"sent":7,"#
                    + #""requests":1,"purposes":["reading mail","waiting for mail"]}"#)
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "connections/\(day).jsonl")
    }

    @Test func connectionsAreListedNewestFirst() async throws {
        try fillLedger(30)
        let test = try await TestKernel(
            ledger: LedgerReader(folder: folder.url.appending(path: "connections")))
        let first = try await test.program("Connection/get", ["limit": 2])
        let newest = try #require(first["list"][0])
        #expect(newest["id"] == "c-29" && newest["outcome"] == "interrupted" && newest["pluginId"] == .null)
        #expect(newest["bytesReceived"] == .null && newest["endedAt"] == .null)
        let second = try #require(first["list"][1])
        #expect(second["host"] == "imap.example.org" && second["port"] == 993)
        #expect(second["pluginId"] == "org.example.mail" && second["outcome"] == "finished")
        #expect(second["bytesReceived"] == 28 && second["bytesSent"] == 7)
        #expect(second["purpose"] == "reading mail, waiting for mail")
        #expect(second["beganAt"] == "2026-03-04T10:28:00Z" && second["endedAt"] == "2026-03-04T10:28:30Z")
        let rest = try await test.program("Connection/get", ["position": 28])
        #expect(rest["list"].arrayValue?.compactMap { $0["id"]?.stringValue } == ["c-1", "c-0"])
        #expect(try await test.program("Connection/get", ["position": 99])["list"] == [])
        #expect(try await test.program("Connection/get", ["limit": -1]).error == "invalidArguments")
    }

    @Test func aVaultIsMadeAndUnlockedByThePageAlone() async throws {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": ""]
        let test = try await TestKernel(keeper: SecretKeeper(folder: folder.url, environment: environment))
        let before = try await test.program("Vault/get")
        #expect(before["list"] == [["id": "singleton", "kind": "none", "state": "absent"]])
        let make: JSONValue = ["update": ["singleton": ["passphrase": "correct horse"]]]
        let program = JMAPClient(name: "token", mayWrite: true, isPage: false)
        #expect(try await test.program("Vault/set", make, as: program).error == "forbidden")
        let short = try await test.program("Vault/set", ["update": ["singleton": ["passphrase": "x"]]])
        #expect(short["notUpdated"]["singleton"]?["properties"] == ["passphrase"])
        let stream = test.jmap.events(EventSubscription(types: ["Vault"]), for: TestKernel.page)
        var events = stream.makeAsyncIterator()
        let made = try await test.program("Vault/set", make)
        #expect(made["updated"].keys == ["singleton"] && made["oldState"] != made["newState"])
        #expect(try #require(await events.next()).data.contains("vault-open"))

        let keeper = SecretKeeper(folder: folder.url, environment: environment)
        let again = try await TestKernel(keeper: keeper)
        #expect(try await again.program("Vault/get")["list"][0]?["state"] == "locked")
        let wrong = try await again.program(
            "Vault/set", ["update": ["singleton": ["passphrase": "wrong one"]]])
        #expect(wrong["notUpdated"]["singleton"]?["description"] == "The passphrase is wrong.")
        #expect(try await again.program("Vault/set", make)["updated"].keys == ["singleton"])
        #expect(try await again.program("Vault/get")["list"][0]?["state"] == "open")
    }
}
