import Foundation
import Glibc
import MailKernelConformance
import TestSupport
import Testing

/// A disk without a byte left, with the plugins that come with the program and mail on it: what is there can be read
/// and deleted, and that is the way out.
@Suite(
    "A full disk with mail on it",
    .enabled(if: SmallDisk.canBeMade, "Only root can mount a small disk."), .timeLimit(.minutes(5)))
struct FullStoreTests {
    private static let count = 60

    private let installed: Installed
    private let disk: SmallDisk
    private let sources: TemporaryFolder

    init() throws {
        let plugins = Checkout.root.appending(path: "Plugins")
        installed = try Installed(
            plugins: ["LocalFolders", "SQLiteStorage"].map { plugins.appending(path: $0) })
        disk = try SmallDisk(at: installed.data.path, megabytes: 160)
        sources = try TemporaryFolder()
    }

    private func mbox(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { number in
            let line = (1...8).map { "word\(number)x\($0)" }.joined(separator: " ")
            let body = (1...4_000).map { "\(line) \($0 * number)\n" }.joined()
            return "From 1781@xxx Mon Nov 20 10:00:00 +0000 2023\nMessage-ID: <\(number)@full.example>\n"
                + "From: Ana <ana@full.example>\nSubject: Number \(number)\n"
                + "Date: Mon, 20 Nov 2023 10:00:00 +0000\n\n\(body)\n"
        }.joined()
    }

    private func start() async throws -> (program: Command, page: PageClient) {
        let program = try installed.start()
        guard await program.line(containing: "Open http") else {
            throw CannotStart(description: "\(await program.result())")
        }
        return (program, try await PageClient(program))
    }

    private func account(_ page: PageClient) async throws -> String {
        let session = try await page.ask(".well-known/jmap").answer
        let primary = try #require(session["primaryAccounts"] as? [String: String], "\(session)")
        return try #require(primary["urn:ietf:params:jmap:mail"])
    }

    private func emails(_ page: PageClient, _ account: String, text: String? = nil) async throws -> [String] {
        var arguments: [String: Any] = ["accountId": account, "limit": 200]
        if let text { arguments["filter"] = ["text": text] }
        return try #require(try await page.call("Email/query", arguments)["ids"] as? [String])
    }

    /// Only that it has come can be seen, and not when.
    private func wait(_ what: String, _ isDone: () async throws -> Bool) async throws {
        try await polling(until: what, isDone)
    }

    private var keptFiles: Int {
        let root = installed.data.appending(path: "plugins/org.mailkernel.local/accounts").path
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return paths.count { $0.hasSuffix(".eml") }
    }

    /// Mail is in the store, the program has ended, and nothing else fits on the disk.
    private func fillUp() async throws {
        try sources.write(mbox(1...Self.count), to: "all.mbox")
        let result = try await installed.run("import", sources.url.path + "/all.mbox")
        try #require(result.status == 0, "\(result.errors)")
        let (program, page) = try await start()
        let account = try await account(page)
        try await wait("reading all mail") { try await emails(page, account).count == Self.count }
        program.signal(SIGTERM)
        #expect(await program.result().status == 0)
        try disk.fill()
        try #require(disk.freeBytes == 0)
    }

    @Test func mailIsReadAndDeletedAndThenAllIsAsBefore() async throws {
        try await fillUp()
        let (program, page) = try await start()
        let account = try await account(page)
        let all = try await emails(page, account)
        #expect(all.count == Self.count)
        let found = try await emails(page, account, text: "word17x3")
        #expect(found.count == 1)
        let read = try await page.call(
            "Email/get", ["accountId": account, "ids": found, "fetchTextBodyValues": true])
        #expect("\(read["list"] ?? "")".contains("word17x8"))

        try await fillAgain(page, account)
        try await sayWhatToDo(page, account)

        // All that can be, step by step, as one does who makes room.
        var left = all
        while left.count > 20 {
            let gone = Array(left.prefix(10))
            let answer = try await page.call("Email/set", ["accountId": account, "destroy": gone])
            try #require((answer["destroyed"] as? [String])?.count == 10, "\(answer)")
            left.removeFirst(10)
        }
        try await wait("giving the room back") { keptFiles == 20 }
        try await wait("an upload") {
            try await page.upload(Data(count: 100_000), to: account).status == 201
        }
        try await wait("the end of the notice") { try await problem(page) == nil }
        try sources.write(mbox(101...103), to: "more.mbox")
        try await wait("an import") {
            try await installed.run("import", sources.url.path + "/more.mbox").status == 0
        }
        try await wait("new mail") { try await emails(page, account, text: "word102x2").count == 1 }
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(result.status == 0 && !result.endedBySignal, "\(result.errors)")
        #expect(try await MailAtRest(installed).count == 23)
    }

    /// What a start tidies up may leave a little room.
    private func fillAgain(_ page: PageClient, _ account: String) async throws {
        try await wait("the end of the first round") {
            let answer = try await page.call("SyncStatus/get", ["accountId": "program"])
            return (answer["list"] as? [[String: Any]])?.first?["phase"] as? String == "listening"
        }
        try disk.fill()
    }

    private func sayWhatToDo(_ page: PageClient, _ account: String) async throws {
        let upload = try await page.upload(Data(count: 300_000), to: account)
        #expect(upload.status == 507, "\(upload)")
        #expect((upload.answer["detail"] as? String)?.hasPrefix("The disk is full.") == true, "\(upload)")
        try await wait("a notice on the page") {
            try await problem(page)?.contains("The disk is full") == true
        }
        let doctor = try await installed.run("doctor")
        #expect(doctor.status != 0 && doctor.output.contains("The disk is full"), "\(doctor)")
    }

    private func problem(_ page: PageClient) async throws -> String? {
        let answer = try await page.call("SyncStatus/get", ["accountId": "program"])
        return (answer["list"] as? [[String: Any]])?.first?["problem"] as? String
    }
}
