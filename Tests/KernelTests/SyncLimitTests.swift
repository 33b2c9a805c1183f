import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Store
import Sync
import Synchronization
import Testing

@testable import Kernel

/// FR-SYNC-01: what a provider returns is held to `SyncLimits`.
@Suite("A provider that breaks the contract harms nothing but its own round") struct SyncLimitTests {
    private func test(_ change: (inout Script.Contents) -> Void) async throws -> (TestKernel, Script) {
        let script = Script()
        script.change(change)
        let test = try await TestKernel(
            messages: 6, isStarted: false, wrap: { ScriptedSession($0, script) })
        try await test.start()
        return (test, script)
    }

    private func status(_ test: TestKernel) -> SyncStatus? {
        test.kernel.accounts.status.all.statuses[test.ada]
    }

    private func waitForTheProblem(_ test: TestKernel) async throws {
        try await test.wait(for: "the problem") { status(test)?.phase == .waiting }
        let problem = status(test)?.problem
        #expect(problem?.isEmpty == false)
    }

    /// As built by a service whose answers were made to hurt.
    private static func nested(_ depth: Int) -> RemoteBodyPart {
        var part = RemoteBodyPart(partID: "1", type: "text/plain")
        for _ in 0..<depth { part = RemoteBodyPart(partID: "1", type: "multipart/mixed", subParts: [part]) }
        return part
    }

    enum BadMessage: CaseIterable {
        case deep, deepAndRead, wide, withoutID, withLongID, twice, negative, endless, withManyKeywords,
            withLongKeyword
        case inManyMailboxes, withEndlessPart

        func spoil(_ messages: inout [RemoteMessage]) {
            let old = messages[2]
            func replaced(_ id: RemoteMessageID, size: Int? = nil, _ content: RemoteMessage.Content? = nil)
                -> RemoteMessage
            {
                RemoteMessage(
                    id: id, mailboxIDs: old.mailboxIDs, keywords: old.keywords, receivedAt: old.receivedAt,
                    size: size ?? old.size, content: content ?? old.content)
            }
            let header = Data("Subject: deep\r\n\r\n".utf8)
            switch self {
            case .deep:
                messages[2] = replaced(old.id, .parts(header: header, structure: nested(100_000)))
            case .deepAndRead:
                var part = EmailBodyPart(partID: "1", type: "text/plain")
                for _ in 0..<100_000 { part = EmailBodyPart(type: "multipart/mixed", subParts: [part]) }
                messages[2] = replaced(old.id, .parsed(EmailBody(structure: part)))
            case .wide:
                let parts = (0...SyncLimits.parts).map { RemoteBodyPart(partID: "\($0)", type: "text/plain") }
                let root = RemoteBodyPart(partID: "0", type: "multipart/mixed", subParts: parts)
                messages[2] = replaced(old.id, .parts(header: header, structure: root))
            case .withoutID: messages[2] = replaced(Id(""))
            case .withLongID: messages[2] = replaced(Id(String(repeating: "x", count: 256)))
            case .twice: messages[2] = messages[1]
            case .negative: messages[2] = replaced(old.id, size: -1)
            case .endless: messages[2] = replaced(old.id, size: .max)
            case .withManyKeywords:
                messages[2].keywords = Set((0...AnswerLimits.keywords).map { Keyword("\($0)") })
            case .withLongKeyword: messages[2].keywords = [Keyword(String(repeating: "x", count: 256))]
            case .inManyMailboxes:
                messages[2].mailboxIDs = Set((0...AnswerLimits.mailboxesOfMessage).map { Id("\($0)") })
            case .withEndlessPart:
                let part = RemoteBodyPart(partID: "1", type: "text/plain", size: .max)
                messages[2] = replaced(old.id, .parts(header: header, structure: part))
            }
        }
    }

    @Test(arguments: BadMessage.allCases)
    func oneBadMessageIsSetAsideAndTheRestIsStored(_ bad: BadMessage) async throws {
        let (test, _) = try await test { contents in
            contents.rewritesBatch = { batch, _ in
                if batch.messages.count == 6 { bad.spoil(&batch.messages) }
            }
        }
        await test.settle()
        #expect(try await test.emailIDs().count == 5)
        #expect(status(test)?.problem == nil)
    }

    @Test func aCursorThatDoesNotGoOnEndsTheRound() async throws {
        let (test, script) = try await test { contents in
            contents.rewritesBatch = { batch, cursor in
                batch.hasMore = true
                if let cursor { batch.cursor = cursor }
            }
        }
        try await waitForTheProblem(test)
        #expect(script.now.batches < 20)
    }

    /// The user reads that the service was not understood; an author finds in the log what was wrong.
    @Test func theLogSaysWhatWasWrong() async throws {
        let lines = Mutex<[String]>([])
        let script = Script()
        script.change { contents in
            contents.rewritesBatch = { batch, _ in
                batch.cursor = SyncCursor(rawValue: String(repeating: "x", count: SyncLimits.cursorBytes + 1))
            }
        }
        let test = try await TestKernel(
            messages: 6, isStarted: false,
            log: LogOutput(least: .warning) { line in lines.withLock { $0.append(line) } },
            wrap: { ScriptedSession($0, script) })
        try await test.start()
        try await waitForTheProblem(test)
        #expect(status(test)?.problem?.contains("cursor") == false)
        #expect(
            lines.withLock {
                $0.contains { $0.contains("a cursor of more than \(SyncLimits.cursorBytes) bytes") }
            })
    }

    @Test func cursorsInACircleEndTheRound() async throws {
        let (test, script) = try await test { contents in
            contents.rewritesBatch = { batch, cursor in
                batch.hasMore = true
                batch.cursor = SyncCursor(rawValue: cursor?.rawValue == "one" ? "two" : "one")
            }
        }
        try await waitForTheProblem(test)
        #expect(script.now.batches < 20)
    }

    @Test func cursorsThatGoOnWithoutAnythingBehindThemEndTheRound() async throws {
        let (test, script) = try await test { contents in
            contents.rewritesBatch = { batch, cursor in
                batch.messages = []
                batch.hasMore = true
                batch.cursor = SyncCursor(rawValue: "\((cursor.flatMap { Int($0.rawValue) } ?? 0) + 1)")
            }
        }
        try await waitForTheProblem(test)
        #expect(script.now.batches <= test.accounts.count * (AnswerLimits.emptyBatches + 3))
    }

    @Test func aBatchThatIsTooLargeIsRefusedWhole() async throws {
        let (test, _) = try await test { contents in
            contents.rewritesBatch = { batch, _ in
                guard let first = batch.messages.first else { return }
                batch.messages = Array(repeating: first, count: SyncLimits.messages + 1)
            }
        }
        try await waitForTheProblem(test)
        #expect(try await test.emailIDs().isEmpty)
    }

    /// A server may name its mailboxes in UTF-8, composed or not.
    @Test func idsAreEqualIfTheirCodePointsAre() async throws {
        let (test, _) = try await test { contents in
            contents.rewritesListing = { listing in
                listing.mailboxes.append(RemoteMailbox(id: Id("caf\u{E9}"), name: "One"))
                listing.mailboxes.append(RemoteMailbox(id: Id("cafe\u{301}"), name: "Two"))
            }
        }
        try await test.wait(for: "both") {
            let names = try await test.kernel.store.read.mailboxes(nil, in: test.ada).map(\.mailbox.name)
            return names.contains("One") && names.contains("Two")
        }
    }

    /// RFC 8621, section 2.
    @Test func namesAndRolesOfMailboxesBecomeThoseThatJMAPHas() async throws {
        let odd = ["", "a\nb", "\u{202E}gnp", "\u{0}", "caf\u{E9}", "cafe\u{301}", "Same", "Same"]
        let (test, _) = try await test { contents in
            contents.rewritesListing = { listing in
                for (index, name) in odd.enumerated() {
                    listing.mailboxes.append(RemoteMailbox(id: Id("odd\(index)"), name: name, role: .inbox))
                }
            }
        }
        try await test.wait(for: "all of them") {
            try await test.kernel.store.read.mailboxes(nil, in: test.ada).count >= odd.count
        }
        let mailboxes = try await test.kernel.store.read.mailboxes(nil, in: test.ada).map(\.mailbox)
        let names = mailboxes.map(\.name)
        for name in [
            "Unnamed", "Unnamed (2)", "a b", "gnp", "caf\u{E9}", "caf\u{E9} (2)", "Same", "Same (2)",
        ] {
            #expect(names.contains(name), "\(name)")
        }
        #expect(mailboxes.count { $0.role == .inbox } == 1)
    }

    enum BadListing: CaseIterable {
        case twice, withoutID, tooMany, withLongName, deep

        func spoil(_ listing: inout MailboxListing) {
            switch self {
            case .twice: listing.mailboxes.append(listing.mailboxes[0])
            case .withoutID: listing.mailboxes.append(RemoteMailbox(id: Id(""), name: "Nothing"))
            case .deep:
                listing.mailboxes += (0...AnswerLimits.mailboxDepth).map {
                    RemoteMailbox(id: Id("deep-\($0)"), name: "\($0)", parentID: Id("deep-\($0 - 1)"))
                }
                listing.mailboxes.append(RemoteMailbox(id: Id("deep--1"), name: "Top"))
            case .withLongName:
                let name = String(repeating: "x", count: AnswerLimits.nameBytes + 1)
                listing.mailboxes.append(RemoteMailbox(id: Id("long"), name: name))
            case .tooMany:
                listing.mailboxes += (0...SyncLimits.mailboxes).map {
                    RemoteMailbox(id: Id("more-\($0)"), name: "\($0)")
                }
            }
        }
    }

    @Test(arguments: BadListing.allCases)
    func aBadListOfMailboxesChangesNothing(_ bad: BadListing) async throws {
        let (test, script) = try await test { _ in }
        await test.settle()
        let before = try await test.storage.mailboxes(nil, in: test.ada)
        script.change { $0.rewritesListing = { bad.spoil(&$0) } }
        await test.kernel.accounts.refresh(test.ada)
        try await waitForTheProblem(test)
        #expect(try await test.storage.mailboxes(nil, in: test.ada) == before)
    }
}
