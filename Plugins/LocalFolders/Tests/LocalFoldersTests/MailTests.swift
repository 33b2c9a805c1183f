import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalFolders

@Suite("Mail in folders") struct MailTests {
    /// Every byte of every message that others found awkward.
    @Test(.enabled(if: CorpusFolder.path != nil, "set MAILKERNEL_CORPORA to a folder of .eml files"))
    func comesBackByteForByte() async throws {
        let corpus = try CorpusFolder.messages()
        #expect(corpus.count > 100)
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        for start in stride(from: 0, to: corpus.count, by: 500) {
            let outcomes = try await session.take(Array(corpus[start..<min(start + 500, corpus.count)]))
            for outcome in outcomes {
                if case .refused(let error) = outcome { Issue.record("refused: \(error)") }
            }
        }
        await session.close()
        let mirror = try await accounts.session().mirror()
        #expect(Set(mirror.messages.values.map(\.bytes)) == Set(corpus))
        #expect(mirror.messages.count == Set(corpus).count)
    }

    @Test func isImportedOnceHoweverOften() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let messages = (0..<40).map { sample("m\($0)") } + [large, Data()]
        let first = try await session.take(messages)
        let again = try await session.take(messages)
        #expect(first.allSatisfy { if case .added = $0 { true } else { false } })
        #expect(again.allSatisfy { if case .alreadyThere = $0 { true } else { false } })
        #expect(try await session.mirror().messages.count == messages.count)
        await session.close()
    }

    @Test func thatWasThrownAwayComesBackWithAnImport() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        _ = try await session.take([sample("a")], into: .trash)
        _ = try await session.take([sample("a")], into: .inbox)
        #expect(try await session.mirror().messages.values.map(\.mailboxIDs) == [[RemoteMailboxID("inbox")]])
        await session.close()
    }

    @Test func isForTheUserAlone() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        _ = try await session.take((0..<20).map { sample("m\($0)") })
        _ = try await session.append(
            DataSource(sample("d")), to: StandardMailbox.id(.drafts), keywords: [.draft],
            receivedAt: accounts.clock.now, replacing: nil)
        let folder = try accounts.paths().folder
        for name in try accounts.files() {
            var status = stat()
            try #require(lstat(folder + "/" + name, &status) == 0)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            #expect(status.st_mode & 0o777 == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        await session.close()
    }

    @Test func isReadableByOtherPrograms() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        _ = try await session.take([sample("a")])
        let name = try #require(try accounts.files().first { $0.hasSuffix(".eml") })
        let file = URL(filePath: try accounts.paths().folder + "/" + name)
        #expect(try Data(contentsOf: file) == sample("a"))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mtim.tv_sec == 1_700_000_000)
        await session.close()
    }

    @Test func thatGoesLeavesNoFile() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        _ = try await session.take((0..<10).map { sample("m\($0)") })
        let addresses = try await session.mirror().messages.keys.map {
            RemoteAddress(feed: FeedID("mail"), id: $0)
        }
        _ = try await session.apply([.destroy(addresses)])
        #expect(try accounts.files().filter { $0.hasSuffix(".eml") } == [])
        await session.close()
    }

    @Test func whoseFileIsMissingIsPassedBy() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        _ = try await session.take([sample("a"), sample("b")])
        let name = try #require(try accounts.files().first { $0.hasSuffix(".eml") })
        unlink(try accounts.paths().folder + "/" + name)
        let mirror = try await session.mirror()
        #expect(mirror.messages.count == 1)
        #expect(mirror.failures.count == 1)
        await session.close()
    }

    @Test func ofSeveralSessionsAtOnceIsAllThere() async throws {
        let accounts = try TestAccounts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let session = try await accounts.session()
                    for round in 0..<10 {
                        _ = try await session.take((0..<5).map { sample("m\(number)-\(round)-\($0)") })
                        _ = try await session.apply([.createMailbox(name: "shared", parent: nil)])
                        _ = try await session.take([sample("common \(round)")])
                    }
                    await session.close()
                }
            }
            try await group.waitForAll()
        }
        let session = try await accounts.session()
        #expect(try await session.mirror().messages.count == 6 * 10 * 5 + 10)
        #expect(try await session.mailboxes().mailboxes.filter { $0.name == "shared" }.count == 1)
        await session.close()
    }

    @Test func isToldOfInBatchesOfBoundedSize() async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        let body = Data(repeating: 65, count: 3 << 20)
        _ = try await session.take((0..<8).map { sample("large \($0)") + body })
        _ = try await session.take((0..<450).map { sample("small \($0)") })
        var mirror = Mirror()
        #expect(try await mirror.round(session) >= 6)
        #expect(mirror.messages.count == 458)
        #expect(mirror.arrivals.count == 458)
        await session.close()
    }

    @Test(arguments: [
        "", "1", "x.y", "1.1.0.5.0.0", "1.9999999999999999999.0.0.0.0", "2.1.0.0.0.0", "1.1.5.0.0.0",
        "1.1.0.0.0.0.n12.x", "1.1.0.0.0.0.q1.1", "1.-1.0.0.0.0",
    ])
    func cursorsOfNobodyExpire(_ text: String) async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        await #expect(throws: AccountError.cursorExpired) {
            try await session.changes(
                in: FeedID("mail"), after: SyncCursor(rawValue: text), since: nil, known: HeldMessages())
        }
        await session.close()
    }

    @Test(arguments: ["two words", "", "tab\there", String(repeating: "x", count: 300)])
    func withAnImpossibleKeywordIsRefused(_ keyword: String) async throws {
        let accounts = try TestAccounts()
        let session = try await accounts.session()
        let outcomes = try await session.importMessages([
            ImportedMessage(
                bytes: DataSource(sample("a")), mailboxIDs: [RemoteMailboxID("inbox")],
                keywords: [Keyword(keyword)], receivedAt: Date())
        ])
        guard case .refused = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(try await session.mirror().messages.isEmpty)
        await session.close()
    }

    @Test func changesByAnotherSessionAreTold() async throws {
        let accounts = try TestAccounts()
        let (one, other) = (try await accounts.session(), try await accounts.session())
        var events = one.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        _ = try await other.apply([.createMailbox(name: "new", parent: nil)])
        #expect(try await events.next() == .mailboxesChanged)
        #expect(try await events.next() == .changed(FeedID("mail")))
        _ = try await other.take([sample("a")])
        #expect(try await events.next() == .changed(FeedID("mail")))
        await other.close()
        await one.close()
    }
}

/// Messages that others collected, where there are any.
enum CorpusFolder {
    static let path: String? = {
        let named = ProcessInfo.processInfo.environment["MAILKERNEL_CORPORA"]
        // Beside the checkout, which is five folders above this file.
        let beside = URL(filePath: #filePath).appending(path: "../../../../../../shared/corpora").standardized
            .path
        return [named, beside].compactMap { $0 }.first { access($0, R_OK) == 0 }
    }()

    static func messages() throws -> [Data] {
        guard let path else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: path).sorted().compactMap { name in
            var status = stat()
            let file = path + "/" + name
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 10 << 20
            else { return nil }
            return try Data(contentsOf: URL(filePath: file))
        }
    }
}
