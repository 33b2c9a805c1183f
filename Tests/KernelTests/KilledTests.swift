import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-02: killed at any point it goes on where it was, nothing twice, nothing missing.
@Suite("A sync that is killed at any of its writes reaches the same end") struct KilledTests {
    private static let ada = "ada@example.org"

    private static func message(_ name: String) -> Data {
        Data(
            "From: g@example.org\r\nSubject: \(name)\r\nMessage-ID: <\(name)@example.org>\r\n\r\nText\r\n"
                .utf8)
    }

    /// Where each message is, and which of the flags that matter it has: by Message-ID, there can be several.
    private struct Picture: Equatable {
        var messages: [String: [Set<String>]] = [:]

        mutating func add(_ messageID: String, in mailboxes: [String], _ keywords: Set<Keyword>) {
            let words = keywords.intersection([.flagged, .seen]).map(\.rawValue)
            messages[messageID, default: []].append(Set(mailboxes.map { "in \($0)" } + words))
        }
    }

    private func here(_ test: TestKernel) async throws -> Picture {
        var picture = Picture()
        let names = Dictionary(
            try await test.storage.mailboxes(nil, in: test.ada).map { ($0.mailbox.id, $0.mailbox.name) }
        ) { first, _ in first }
        for id in try await test.emailIDs() {
            let email = try await test.email(id)
            picture.add(
                email.header.messageID.first ?? "", in: email.mailboxIDs.compactMap { names[$0] },
                email.keywords)
        }
        return picture
    }

    private func there(_ test: TestKernel) -> Picture {
        var picture = Picture()
        let names = Dictionary(test.server.mailboxes(of: Self.ada).map { ($0.id, $0.name) }) { first, _ in
            first
        }
        for message in test.server.messages(of: Self.ada) {
            picture.add(
                message.messageID ?? "", in: message.mailboxIDs.compactMap { names[$0] }, message.keywords)
        }
        return picture
    }

    /// A first sync, changes made here, and mail that comes meanwhile. What throws was not promised.
    private func play(_ test: TestKernel) async {
        try? await test.start()
        await test.settle()
        let ids = (try? await test.emailIDs()) ?? []
        guard ids.count > 3, let inbox = try? await test.mailbox(.inbox),
            let trash = try? await test.mailbox(.trash), let drafts = try? await test.mailbox(.drafts)
        else { return }
        let mail = test.kernel.mail
        _ = try? await mail.update([EmailUpdate(ids[0], in: test.ada, addKeywords: [.flagged])], in: test.ada)
        _ = try? await mail.update(
            [EmailUpdate(ids[1], in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox])], in: test.ada
        )
        _ = try? await mail.add(
            Self.message("draft"), to: [drafts], keywords: [.draft, .seen], receivedAt: test.clock.now,
            in: test.ada)
        await test.settle()
        if let made = try? await mail.createMailbox(Mailbox(id: Id(""), accountID: test.ada, name: "Made")) {
            _ = try? await mail.update(
                [EmailUpdate(ids[2], in: test.ada, addMailboxes: [made.id], removeMailboxes: [inbox])],
                in: test.ada)
        }
        try? await mail.destroy([ids[3]], in: test.ada)
        test.server.deliver(Self.message("late"), to: Self.ada)
        await test.settle()
    }

    @Test(.timeLimit(.minutes(10)), arguments: MemoryMailServer.Layout.allCases)
    func inTheEndBothSidesAreEqual(_ layout: MemoryMailServer.Layout) async throws {
        let writes = try await Sweep.calls(every: 4) { try await isKilled(atWrite: $0 - 1, layout) }
        #expect(writes > 20, "the script makes more writes than \(writes)")
    }

    /// Returns whether there was such a write.
    private func isKilled(atWrite number: Int, _ layout: MemoryMailServer.Layout) async throws -> Bool {
        let disk = MemoryStorage.Disk()
        let secrets = SecretDrawers()
        let clock = ManualClock()
        let server = MemoryMailServer(
            logins: [MemoryAccountPlugin.logins[0]], layout: layout, batchSize: 3, clock: clock)
        for number in 0..<8 { server.deliver(Self.message("m\(number)"), to: Self.ada) }
        let first = try await TestKernel(
            isStarted: false, on: disk, clock: clock, server: server, secrets: secrets)
        // A program that is gone asks no server for anything either.
        disk.stop(afterWrites: number) { server.setOutage(.offline) }
        await play(first)
        await first.kernel.stop()
        let wasKilled = disk.goOn()
        server.setOutage(nil)

        let second = try await TestKernel(on: disk, clock: clock, server: server, secrets: secrets)
        var pictures = (here: try await here(second), there: there(second))
        for _ in 0..<20 where pictures.here != pictures.there {
            clock.advance(by: 60)
            await second.settle()
            pictures = (try await here(second), there(second))
        }
        #expect(pictures.here == pictures.there, "killed at write \(number)")
        #expect(
            pictures.there.messages.values.allSatisfy { $0.count == 1 }, "twice, killed at write \(number)")
        // The program may be killed after moving a message on a server of folders, before its new name is stored.
        let notices = try await second.kernel.notices.all().map(\.notice.text)
        #expect(notices == [], "killed at write \(number)")
        await second.kernel.stop()
        return wasKilled
    }
}
