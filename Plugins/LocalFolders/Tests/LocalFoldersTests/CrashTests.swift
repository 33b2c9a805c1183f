import CrashSupport
import FoundationEssentials
import MailKernelAPI
import Testing

@testable import LocalFolders

@Suite("Mail on this device loses nothing that was confirmed", .serialized) struct CrashTests {
    private static let here = "here@home.example"
    private static let there = "there@home.example"

    /// Ended at 60 random moments, it holds every confirmed message once and nothing by half.
    @Test func killedAtAnyMomentItHoldsEveryConfirmedRound() async throws {
        let accounts = try TestAccounts()
        var confirmed = 0
        for number in 0..<60 {
            let child = try Child("local-folders-crasher", ["write", accounts.path, "\(confirmed + 1)"])
            // Half of them while it opens the folders, half after it has come to something.
            try #require(await child.hasWritten(lines: number.isMultiple(of: 2) ? 2 : 1))
            try await child.killAtAnyMoment(within: .milliseconds(300))
            confirmed = await child.lines().compactMap { Int($0) }.last ?? confirmed
            // All bytes now and then: they take long to read.
            try await expectWhole(accounts, confirmed, withBytes: number % 20 == 19)
        }
        #expect(confirmed >= 30, "so few rounds that nothing was tried")
    }

    private func expectWhole(_ accounts: TestAccounts, _ confirmed: Int, withBytes: Bool) async throws {
        guard Folders.exists(try accounts.paths(Self.here).folder) else { return }
        let session = try await accounts.session(Self.here)
        let mirror = try await session.mirror()
        await session.close()
        let paths = try accounts.paths(Self.here)
        try #require(Folders.names(in: paths.incoming) == [], "files are left in “incoming”")
        let files = Folders.names(in: paths.mail).flatMap { Folders.names(in: paths.mail + "/" + $0) }
        try #require(files.count == mirror.messages.count, "there are other files than the index knows")
        try #require(mirror.failures == [])

        let imported = names(mirror.inside(.inbox), "import").sorted()
        let perRound = NumberedFacts.perRound
        let first = perRound
        try #require(imported.count.isMultiple(of: perRound), "a batch is there in part")
        try #require(
            imported == Array(first..<first + imported.count), "imported mail is lost or there twice")
        try #require(imported.count >= confirmed * perRound, "mail that was confirmed is gone")
        let drafts = names(mirror.inside(.drafts), "draft")
        try #require(drafts.count <= 1 && (drafts.first ?? 0) >= confirmed, "a draft is lost or there twice")
        if withBytes {
            for held in mirror.inside(.inbox) {
                let number = try #require(names([held], "import").first)
                try #require(held.bytes == NumberedFacts.message("import", number))
            }
        }

        let other = try await accounts.session(Self.there)
        let delivered = names(try await other.mirror().inside(.inbox), "sent").sorted()
        await other.close()
        try #require(delivered.count >= confirmed, "a sent message is gone")
        try #require(
            delivered == Array(1..<delivered.count + 1), "a message was delivered twice or not at all")
    }

    private func names(_ held: [Mirror.Held], _ kind: String) -> [Int] {
        held.compactMap { held in
            MessageHeader(held.bytes).value(of: "Subject")?.split(separator: " ").last.flatMap { Int($0) }
        }
    }

    @Test func aFullDiskChangesNothingAndPasses() async throws {
        let accounts = try TestAccounts()
        let child = try Child("local-folders-crasher", ["fill", accounts.path, "400000"])
        let lines = await child.lines().filter { $0 != "ready" }
        let failure = try #require(lines.firstIndex { Int($0) == nil }, "the disk was never full")
        #expect(lines[failure].contains("The disk is full"), "\(lines[failure])")
        let numbers = lines.compactMap { Int($0) }
        #expect(numbers.count == failure + 5, "it does not work again when there is space")
        try await expectWhole(accounts, numbers.last ?? 0, withBytes: true)
    }

    /// The demo is there as a whole or not at all, and once.
    @Test func aDemoThatIsKilledIsMadeAnew() async throws {
        let accounts = try TestAccounts()
        let whole = DemoWorld(now: Date()).mail(of: DemoPerson.all[0]).count
        var found: Set<Int> = []
        for _ in 0..<12 {
            let child = try Child("local-folders-crasher", ["demo", accounts.path])
            try #require(await child.hasWritten(lines: 1))
            try await child.killAtAnyMoment(within: .milliseconds(400))
            _ = await child.lines()
            // Without the demo's mark, so that looking does not make it.
            let session = try await accounts.session("mira@demo.example")
            found.insert(try await session.mirror().messages.count)
            await session.close()
        }
        let last = try Child("local-folders-crasher", ["demo", accounts.path])
        #expect(await last.lines().count == 2)
        let session = try await accounts.session("mira@demo.example")
        found.insert(try await session.mirror().messages.count)
        await session.close()
        // A day may begin in between, and move a letter over the edge of what was not written yet.
        #expect(found.subtracting([0]).count == 1)
        #expect(abs((found.max() ?? 0) - whole) < 10)
    }
}

/// What the crasher writes, told again, for its own module cannot be imported.
private enum NumberedFacts {
    static let perRound = 20

    static func message(_ kind: String, _ number: Int) -> Data {
        let lines = (0..<30).map {
            "Line \($0) of \(kind) \(number), which is there as a whole or not at all."
        }
        let header = [
            "From: <here@home.example>", "To: <here@home.example>",
            "Message-ID: <\(kind).\(number)@home.example>",
            "Subject: \(kind) \(number)", "",
        ]
        return Data((header + lines + ["end of \(kind) \(number)", ""]).joined(separator: "\r\n").utf8)
    }
}
