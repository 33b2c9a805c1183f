import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@testable import Care
@testable import Mail

/// FR-SET-03: what is exported can be brought in again, and is what it was.
@Suite("An export comes back") struct RoundTripTests {
    private let place: TemporaryFolder

    init() throws { place = try TemporaryFolder() }

    /// What is known of a message that must come back.
    private struct Known: Hashable, Comparable {
        var bytes: Data
        var mailboxes: [String]
        var keywords: [String]
        var receivedAt: Date

        static func < (one: Known, other: Known) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
    }

    private struct Letter {
        var bytes: Data
        var mailboxes: [[String]]
        var keywords: Set<Keyword> = []
        var receivedAt = ManualClock().now - 3_600.25

        init(_ bytes: Data, in mailboxes: [[String]] = [["Inbox"]], _ keywords: Set<Keyword> = []) {
            self.bytes = bytes
            self.mailboxes = mailboxes
            self.keywords = keywords
        }

        init(_ text: String, in mailboxes: [[String]] = [["Inbox"]], _ keywords: Set<Keyword> = []) {
            self.init(Data(text.utf8), in: mailboxes, keywords)
        }
    }

    private func kernel() async throws -> TestKernel {
        try await TestKernel(program: ProgramAccess(downloads: place.url))
    }

    /// Puts letters into an account, as another import would.
    private func fill(_ test: TestKernel, _ letters: [Letter]) async throws {
        let sync = try #require(await test.kernel.accounts.sync(test.ada))
        var places = try await ImportMailboxes(sync.session)
        for letter in letters {
            var ids: Set<RemoteMailboxID> = []
            for path in letter.mailboxes {
                let target: ImportPlace.Target =
                    switch path.first {
                    case "Inbox" where path.count == 1: .role(.inbox)
                    case "Inbox": .inside(.inbox, Array(path.dropFirst()))
                    case "Trash" where path.count == 1: .role(.trash)
                    default: .path(path)
                    }
                ids.formUnion(try await places.ids(of: [target]))
            }
            _ = try await sync.session.importMessages([
                ImportedMessage(
                    bytes: DataSource(letter.bytes), mailboxIDs: ids, keywords: letter.keywords,
                    receivedAt: letter.receivedAt)
            ])
        }
        await sync.changed()
        try await test.wait(for: "the letters") { try await test.emailIDs().count == letters.count }
        await test.settle()
    }

    private func known(_ test: TestKernel) async throws -> [Known] {
        let mailboxes = try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox)
        func path(_ id: Id<Mailbox>?) -> [String] {
            guard let mailbox = mailboxes.first(where: { $0.id == id }) else { return [] }
            return path(mailbox.parentID) + [mailbox.name]
        }
        var all: [Known] = []
        for id in try await test.emailIDs() {
            let email = try await test.email(id)
            all.append(
                Known(
                    bytes: try await test.download(BlobID(email: id).id.rawValue),
                    mailboxes: email.mailboxIDs.map { path($0).joined(separator: "\u{1}") }.sorted(),
                    keywords: email.keywords.map(\.rawValue).sorted(), receivedAt: email.receivedAt))
        }
        return all.sorted()
    }

    private func export(_ test: TestKernel) async throws -> URL {
        let account = try #require(test.accounts.first)
        let begun = try await test.kernel.exports.beginMail(of: account)
        let status = try #require(await test.kernel.exports.finished(begun.id))
        #expect(status.problem == nil && status.failures == 0)
        return URL(filePath: try #require(status.path))
    }

    @discardableResult
    private func bring(_ file: URL, into test: TestKernel) async throws -> MailImport.Progress {
        try await MailImport(into: test.ada, of: test.kernel.accounts, clock: test.clock).run(file) { _ in }
    }

    /// Exports, imports where it was and where nothing is, twice, and compares.
    private func expectRoundTrip(_ letters: [Letter]) async throws {
        let first = try await kernel()
        try await fill(first, letters)
        let before = try await known(first)
        let file = try await export(first)
        let same = try await bring(file, into: first)
        #expect(same.added == 0 && same.alreadyThere == letters.count && same.failures == [])
        #expect(try await known(first) == before)
        let second = try await kernel()
        let progress = try await bring(file, into: second)
        #expect(progress.added == letters.count && progress.failures == [])
        try await second.wait(for: "all of it") { try await second.emailIDs().count == letters.count }
        let after = try await known(second)
        #expect(after.count == before.count)
        for (one, other) in zip(before, after) where one != other {
            Issue.record("came back otherwise: \(Self.difference(one, other))")
        }
        let again = try await bring(file, into: second)
        #expect(again.added == 0 && again.alreadyThere == letters.count)
        #expect(try await known(second) == after)
    }

    private static func difference(_ one: Known, _ other: Known) -> String {
        if one.bytes != other.bytes {
            let place = zip(one.bytes, other.bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? -1
            return "the bytes from \(place) on (\(one.bytes.count) and \(other.bytes.count)): "
                + String(decoding: one.bytes.prefix(300), as: UTF8.self)
        }
        return "\(one.mailboxes) \(one.keywords) \(one.receivedAt), \(other.mailboxes) \(other.keywords) "
            + "\(other.receivedAt)"
    }

    @Test func everyByteComesBack() async throws {
        let header = "Subject: x\n\n"
        let texts = [
            "", "\n", "x", header, header + "no end", header + "one\n", header + "two\n\n",
            header + "many\n\n\n\n",
            "Subject: y\r\n\r\nnetwork\r\n", "Subject: y\r\n\r\nno end",
            "Subject: y\r\n\r\nreturn at the end\r",
            "Subject: y\r\n\r\nmixed\nlines\r\n", "Subject: y\r\n\r\ntwo\r\r\nreturns\r\n",
            header + "bare\rreturns\r",
            header + "From me\n>From you\n>>From them\n>>>>>From all\n From\nFrom\n>From", header + "From ",
            "From x",
            "From - \nSubject: z\n\nFrom - \nSubject: a\n", header + "\0NUL\0\0\n\0", header + "\0\0\0",
            "Subject: y\r\n\r\nFrom me\r\n>From you\r\n\r\nFrom - \r\nSubject: a\r\n",
            header
                + "\n\nFrom mailkernel-export Mon Nov 20 10:00:00 2023\nX-Mailkernel-Mailbox: trash:\n\nx\n",
            "X-Mailkernel-Mailbox: trash:\nX-Mailkernel-Keywords: $draft\nX-Mailkernel-Message: 1 kept 0\n\nx\n",
            "X-Gmail-Labels: Spam\nStatus: RO\nX-Mozilla-Status: 0009\nContent-Length: 3\n" + header
                + "abcdef\n",
            header + String(repeating: ">", count: 100_000) + "From deep\n"
                + String(repeating: "x", count: 100_000),
            header + String(repeating: "From \n", count: 10_000),
        ]
        var letters = texts.enumerated().map { Letter("X-Number: \($0)\n" + $1) }
        letters += texts.filter { !$0.isEmpty }.map { Letter($0) }
        letters.append(Letter(Data("Subject: b\n\n".utf8) + Data((0...255).map { UInt8($0) })))
        letters.append(Letter(Data((0...255).reversed().map { UInt8($0) })))
        try await expectRoundTrip(letters)
    }

    /// It is written by pieces, and a large one by way of the disk.
    @Test func largeMessagesComeBack() async throws {
        let line = "From the beginning to the end of a line that is as long as most lines are.\r\n"
        let large = "Subject: large\r\n\r\n" + String(repeating: line, count: 80_000)
        try await expectRoundTrip([Letter(large), Letter(large + "\n"), Letter("Subject: small\n\nx\n")])
    }

    @Test func mailboxesOfAnyNameComeBack() async throws {
        let names = [
            "/", "..", ".", ".hidden", "...", "a/b", "../../etc/passwd", "a:b", "C:\\x", "Work", "work",
            "WORK", "ünï",
            "📬✉️", String(repeating: "long ", count: 60) + "end", String(repeating: "📬", count: 75), " blank ",
            "a  b",
            "\"quoted, name\"", "=?utf-8?Q?x?=", "100%", "%2F", "a%2Fb", "Spam", "Sent Mail", "Unread",
            "inbox", "trash:",
        ]
        var letters = names.enumerated().map { Letter("Subject: \($0)\n\nHello.\n", in: [[$1]]) }
        letters.append(Letter("Subject: deep\n\nHello.\n", in: [(1...15).map { "Level \($0)" }]))
        letters.append(Letter("Subject: in\n\nHello.\n", in: [["Inbox", "a/b", ".."], ["Work"], ["Inbox"]]))
        letters.append(Letter("Subject: other\n\nHello.\n", in: [["Work", "Inbox"]]))
        try await expectRoundTrip(letters)
        let written = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
        #expect(written.count == 1 && written[0].hasSuffix(".mbox"))
    }

    @Test func keywordsAndDatesComeBack() async throws {
        var letters = [
            Letter("Subject: 1\n\nx\n", in: [["Inbox"]], [.seen, .answered, .flagged, .forwarded]),
            Letter(
                "Subject: 2\n\nx\n", in: [["Trash"]],
                [Keyword("$label1"), Keyword("a,b%20"), Keyword("größe")]),
            Letter("Subject: 3\n\nx\n", in: [["Work"]], [.draft, .junk]),
            Letter("Subject: 4\n\nx\n", in: [["Work"]]),
        ]
        for (index, age) in [0, 0.1, 86_400, 1_000_000.123_456].enumerated() {
            letters[index].receivedAt = ManualClock().now - age
        }
        try await expectRoundTrip(letters)
    }

    @Test func anEntryIsReadAsItWasWritten() throws {
        for date in [-978_307_200.0, 0, 700_000_000.125, -2_000_000_000, 1e10, 803_998_865.123_456_7] {
            let entry = ArchiveEntry(
                targets: [.role(.inbox), .path(["a/b", "..", ""]), .inside(.sent, ["\n:\0"])],
                keywords: [.seen, Keyword("a,b%20")], receivedAt: Date(timeIntervalSinceReferenceDate: date),
                form: ArchiveEntry.Form(size: 5, dropsReturns: true, checksum: .max))
            let lines = entry.lines(and: Data("Status: RO\nX-Gmail-Labels: a,\n b\n".utf8))
            let read = try #require(ArchiveEntry.read(lines + Data("Hello".utf8)))
            var expected = entry
            // A mailbox without a name is none.
            expected.targets = [.role(.inbox), .path(["a/b", ".."]), .inside(.sent, ["\n:\0"])]
            #expect(read.entry == expected && read.text == Data("Hello".utf8))
        }
    }

    /// Stopped after a batch and begun again.
    @Test func anInterruptedImportGoesOn() async throws {
        let first = try await kernel()
        try await fill(first, (1...20).map { Letter("Subject: \($0)\n\nHello.\n") })
        let file = try await export(first)
        let bytes = try Data(contentsOf: file)
        let part = place.url.appending(path: "part.mbox")
        try bytes.prefix(bytes.count / 2).write(to: part)
        let second = try await kernel()
        let begun = try await bring(part, into: second)
        #expect(begun.added > 5 && begun.added < 20)
        // The one that was cut off is another message.
        let rest = try await bring(file, into: second)
        #expect(rest.added + rest.alreadyThere == 20 && (19...20).contains(begun.added + rest.added - 1))
    }

    /// A transfer between systems, or an editor, changed all line ends.
    @Test func otherLineEndsInTheFileAreNoHarm() async throws {
        let first = try await kernel()
        let letters = [
            Letter("Subject: 1\r\n\r\nHello.\r\nFrom me\r\n"), Letter("Subject: 2\n\nHello.\nFrom me\n"),
        ]
        try await fill(first, letters)
        let before = try await known(first)
        let text = try String(contentsOf: try await export(first), encoding: .utf8)
        let file = place.url.appending(path: "windows.mbox")
        try Data(text.replacing("\n", with: "\r\n").utf8).write(to: file)
        let second = try await kernel()
        try await bring(file, into: second)
        try await second.wait(for: "both") { try await second.emailIDs().count == 2 }
        #expect(try await known(second) == before)
    }

    @Test(.enabled(if: Corpora.areHere, "the corpora are not on this machine"))
    func realMailComesBack() async throws {
        var seen: Set<Data> = []
        let letters = try Corpora.mail.compactMap { file -> Letter? in
            let bytes = try Data(contentsOf: file)
            guard bytes.count < 300_000, seen.insert(bytes).inserted else { return nil }
            return Letter(bytes, in: [[file.deletingLastPathComponent().lastPathComponent]])
        }
        #expect(letters.count > 1000)
        try await expectRoundTrip(letters)
    }
}
