import Foundation
import MailKernelAPI
import Synchronization
import TestSupport
import Testing

@testable import Network

@Suite("The ledger", .timeLimit(.minutes(10))) struct LedgerTests {
    @Test func aConnectionIsOneEntryHoweverManyRequestsItCarries() async throws {
        let bench = try await Bench()
        do {
            let access = bench.access()
            for purpose in ["sign in", "refresh", "refresh"] {
                _ = try await access.send(
                    HTTPRequest("GET", try bench.servers.url("web", "/size?n=10000"), purpose: purpose))
            }
            #expect(bench.ledger.open.count == 1)
        }
        let entries = await bench.closedEntries(1)
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        #expect(entry.plugin == "org.example.a" && entry.host == "localhost")
        #expect(entry.port == bench.servers.port("web") && entry.proxy == nil)
        #expect(entry.purposes == ["sign in", "refresh"] && entry.requests == 3)
        #expect(entry.state == .finished && entry.problem == nil)
        #expect(entry.received > 30_000 && entry.received < 50_000 && entry.sent > 300)
        #expect(try #require(entry.end) >= entry.start)
    }

    @Test func aConnectionThatComesToNothingIsThereToo() async throws {
        let bench = try await Bench()
        let port = try FreePort.find()
        let url = try #require(URL(string: "https://localhost:\(port)/"))
        _ = await failure { try await bench.access().send(HTTPRequest("GET", url, purpose: "a test")) }
        let entries = await bench.closedEntries(1)
        #expect(entries.map(\.state) == [.failed])
        #expect(entries.map(\.problem) == ["no server responded on port \(port)"])
        #expect(entries.map(\.received) == [0])
    }

    @Test func whoListensHearsOfEachBeginningAndEnd() async throws {
        let bench = try await Bench()
        var news = bench.ledger.news().makeAsyncIterator()
        let stream = try await bench.access().connect(
            to: Endpoint(host: "localhost", port: bench.servers.port("echo")), security: .tls,
            purpose: "a test")
        #expect(await news.next()?.state == .open)
        await stream.close()
        #expect(await news.next()?.state == .finished)
    }

    /// It is on disk before the first byte is sent, and can be read without the program.
    @Test func aKilledProcessLeavesItsConnectionsBehind() async throws {
        let servers = try await TestServers.shared.value
        let place = try TemporaryFolder()
        let result = try await NetworkProcess.run(
            place.url, ["open", "localhost:\(servers.port("echo"))", "die"], hosts: "localhost")
        #expect(result.endedBySignal && result.output.hasPrefix("open"))
        let entries = LedgerReader(folder: place.url).page().entries
        #expect(entries.map(\.state) == [.interrupted] && entries.map(\.purposes) == [["a trial"]])
    }

    @Test func withoutALedgerNothingLeaves() async throws {
        let bench = try await Bench()
        // A folder in the file's place: it cannot be opened, by root neither.
        let day = LedgerFolder.day(of: Date())
        _ = try bench.place.folder("connections/\(day).jsonl")
        let failed = await failure { try await bench.get("web", "/echo") }
        guard case .local(let reason) = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(reason.contains("list of connections"))
    }

    @Test func daysAreKeptForThirtyDays() throws {
        let place = try TemporaryFolder()
        let day = 86_400.0
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let clock = Mutex(start)
        let ledger = ConnectionLedger(folder: place.url) { clock.withLock { $0 } }
        for number in 0..<40 {
            clock.withLock { $0 = start + Double(number) * day }
            let ticket = try ledger.begin(
                plugin: "p", host: "h\(number)", port: 1, purpose: "x", proxy: nil)
            ledger.end(ticket, received: 1, sent: 2, requests: 1, more: [], problem: nil)
        }
        let entries = LedgerReader(folder: place.url).page().entries
        #expect(entries.map(\.host) == (9..<40).reversed().map { "h\($0)" })
        let attributes = try FileManager.default.attributesOfItem(
            atPath: place.url.appending(path: LedgerFolder.day(of: start + 39 * day) + ".jsonl").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func anEndOfTheNextDayIsFound() throws {
        let place = try TemporaryFolder()
        let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let ledger = ConnectionLedger(folder: place.url) { clock.withLock { $0 } }
        let long = try ledger.begin(plugin: "p", host: "long", port: 1, purpose: "x", proxy: nil)
        _ = try ledger.begin(plugin: "p", host: "open", port: 1, purpose: "x", proxy: nil)
        clock.withLock { $0 += 100_000 }
        ledger.end(long, received: 7, sent: 8, requests: 1, more: [], problem: nil)
        let entries = LedgerReader(folder: place.url).page().entries
        #expect(entries.map(\.host) == ["open", "long"] && entries.map(\.state) == [.open, .finished])
        #expect(entries.last?.received == 7)
    }

    @Test func pagesGoOnWhereTheyEnded() throws {
        let place = try TemporaryFolder()
        let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let ledger = ConnectionLedger(folder: place.url) { clock.withLock { $0 } }
        for number in 0..<25 {
            clock.withLock { $0 += 10_000 }
            _ = try ledger.begin(plugin: "p", host: "h\(number)", port: 1, purpose: "x", proxy: nil)
        }
        let reader = LedgerReader(folder: place.url)
        var hosts: [String] = []
        var page = reader.page(limit: 4)
        while true {
            hosts += page.entries.map(\.host)
            #expect(page.entries.count <= 4)
            guard let next = page.next else { break }
            page = reader.page(after: next, limit: 4)
        }
        #expect(hosts == (0..<25).reversed().map { "h\($0)" })
        let since = clock.withLock { $0 } - 45_000
        #expect(reader.page(since: since).entries.count == 5)
    }

    @Test func aLineThatWasCutHidesNoOther() throws {
        let place = try TemporaryFolder()
        let day = LedgerFolder.day(of: Date())
        let ledger = ConnectionLedger(folder: place.url)
        _ = try ledger.begin(plugin: "p", host: "first", port: 1, purpose: "x", proxy: nil)
        let file = place.url.appending(path: "\(day).jsonl")
        let whole = try String(contentsOf: file, encoding: .utf8)
        try (whole + whole.prefix(40) + "\nnot JSON\n{}\n").write(
            to: file, atomically: false, encoding: .utf8)
        _ = try ledger.begin(plugin: "p", host: "second", port: 1, purpose: "x", proxy: nil)
        #expect(LedgerReader(folder: place.url).page().entries.map(\.host) == ["second", "first"])
    }

    @Test func aPurposeStaysOnItsLine() throws {
        let place = try TemporaryFolder()
        let ledger = ConnectionLedger(folder: place.url)
        let purpose = "a\n{\"b\":1}\u{1b}[2J" + String(repeating: "x", count: 1_000)
        _ = try ledger.begin(plugin: "p", host: "h", port: 1, purpose: purpose, proxy: nil)
        let shown = try #require(LedgerReader(folder: place.url).page().entries.first?.purposes.first)
        #expect(shown.count == 200 && shown.hasPrefix("a {\"b\":1} [2J"))
    }
}

/// A process of its own that uses the network.
enum NetworkProcess {
    static let program = Checkout.root.appending(path: ".build/debug/network-trial")

    static func run(_ folder: URL, _ words: [String], hosts: String, under: [String] = []) async throws
        -> CommandResult
    {
        let servers = try await TestServers.shared.value
        let all = under + [program.path, folder.path, servers.authority.path, hosts] + words
        return try await Command.run(
            all[0] == program.path ? program : URL(filePath: "/usr/bin/env"),
            all[0] == program.path ? Array(all.dropFirst()) : all)
    }
}

@Suite("Seen from outside of the process", .timeLimit(.minutes(10))) struct OutsideTests {
    /// What leaves the process is in its ledger, and goes to the hosts of its list alone.
    @Test func theLedgerIsComplete() async throws {
        let servers = try await TestServers.shared.value
        let place = try TemporaryFolder()
        let report = place.url.appending(path: "report.json")
        let free = try FreePort.find()
        let result = try await NetworkProcess.run(
            place.url.appending(path: "ledger"),
            [
                "get", "https://localhost:\(servers.port("web"))/echo",
                "get", "https://127.0.0.1:\(servers.port("web"))/echo",
                "get", "https://localhost:\(servers.port("self"))/echo",
                "get",
                "https://localhost:\(servers.port("web"))/redirect?to=https%3A%2F%2Ftracker.example%2F",
                "get", "https://not.allowed.example/", "get", "https://localhost:\(free)/",
                "get", "https://looked-up.mail.test/", "open", "localhost:\(servers.port("echo"))",
                "open", "not.allowed.example:993",
            ],
            hosts: "localhost,127.0.0.1,*.mail.test",
            under: [Checkout.root.appending(path: "Tests/Tools/contacts").path, report.path])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 9 && lines[0] == "200" && lines[7] == "open", "\(result.output)")
        let seen = try JSONDecoder().decode(Contacts.self, from: Data(contentsOf: report))
        let entries = LedgerReader(folder: place.url.appending(path: "ledger")).page().entries

        // Everything that was connected to is listed, and everything listed on this machine was connected to.
        #expect(Set(seen.connected.map(\.address)).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(Set(seen.connected.map(\.port)) == Set(entries.filter { $0.port != 443 }.map(\.port)))
        #expect(seen.connected.contains { $0.port == servers.port("echo") })
        // Names are asked of name servers alone, and only listed ones.
        #expect(seen.sent.allSatisfy { $0.port == 53 })
        #expect(seen.asked.allSatisfy { $0.hasPrefix("looked-up.mail.test") }, "\(seen.asked)")
        #expect(Set(entries.map(\.host)) == ["localhost", "127.0.0.1", "looked-up.mail.test"])
        #expect(entries.allSatisfy { $0.plugin == "org.example.trial" && $0.end != nil })
    }

    @Test(.enabled(if: getuid() == 0, "a place without a network can only be made by root"))
    func withoutANetworkItIsOffline() async throws {
        let place = try TemporaryFolder()
        let result = try await NetworkProcess.run(
            place.url, ["get", "https://looked-up.mail.test/", "open", "192.0.2.1:993"], hosts: "*",
            under: ["unshare", "--net"])
        #expect(result.output == "offline\noffline\n", "\(result.output) \(result.errors)")
    }
}
