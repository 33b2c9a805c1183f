import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-05: on a server of folders a copy has the Message-ID of its original, and no other name that lasts.
@Suite("FR-SYNC-05: copies made elsewhere while a move is unfinished are told from what is moved")
struct ForeignCopyTests {
    private static let address = "ada@example.org"
    private static let message = Data(
        "From: g@example.org\r\nSubject: One\r\nMessage-ID: <one@example.org>\r\n\r\nText\r\n".utf8)

    struct Move: Sendable, CustomTestStringConvertible {
        let from: Mailbox.Role
        let to: Mailbox.Role
        /// The service has carried it out, and its answer was lost.
        let isDone: Bool
        let copies: Int
        /// The user has put it back meanwhile.
        var isTakenBack = false

        var testDescription: String {
            "\(from) to \(to), \(isDone ? "done" : "not done"), \(copies) copies"
                + (isTakenBack ? ", taken back" : "")
        }

        static let all = [(Mailbox.Role.inbox, Mailbox.Role.trash), (.archive, .inbox)].flatMap { from, to in
            [false, true].flatMap { isDone in
                (0...2).flatMap { copies in
                    [false, true].map {
                        Move(from: from, to: to, isDone: isDone, copies: copies, isTakenBack: $0)
                    }
                }
            }
        }
    }

    /// Of each mailbox, how many messages are in it: here, and there.
    private func counts(_ test: TestKernel) async throws -> (here: [String: Int], there: [String: Int]) {
        var (here, there): ([String: Int], [String: Int]) = ([:], [:])
        for stored in try await test.storage.mailboxes(nil, in: test.ada) {
            let query = EmailQuery(in: [test.ada], filter: .inMailbox(stored.mailbox.id), limit: 100)
            let count = try await test.storage.queryEmails(query).hits.count
            if count > 0 { here[stored.mailbox.name] = count }
        }
        for message in test.server.messages(of: Self.address) {
            for mailbox in test.server.mailboxes(of: Self.address)
            where message.mailboxIDs.contains(mailbox.id) {
                there[mailbox.name, default: 0] += 1
            }
        }
        return (here, there)
    }

    private func move(_ id: Id<Email>, _ from: Id<Mailbox>, _ to: Id<Mailbox>, _ test: TestKernel)
        async throws
    {
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [to], removeMailboxes: [from])], in: test.ada)
    }

    @Test(arguments: Move.all) func allAreThereInTheEnd(_ move: Move) async throws {
        let script = Script()
        let test = try await TestKernel(layout: .folders, wrap: { ScriptedSession($0, script) })
        let remotes = test.server.mailboxes(of: Self.address)
        let (source, target) = (
            try #require(remotes.first { $0.role == move.from }),
            try #require(remotes.first { $0.role == move.to })
        )
        test.server.deliver(Self.message, to: Self.address, mailbox: source.id)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        await test.settle()
        let id = try #require(try await test.emailIDs().first)
        let (from, to) = (try await test.mailbox(move.from), try await test.mailbox(move.to))

        script.change {
            if move.isDone { $0.losesApplyAnswer = true } else { $0.applyErrors = [.offline] }
        }
        try await self.move(id, from, to, test)
        try await test.wait(for: "the lost connection") {
            test.kernel.accounts.status.all.statuses[test.ada]?.phase == .waiting
        }
        if move.isTakenBack { try await self.move(id, to, from, test) }
        for number in 0..<move.copies {
            for (offset, mailbox) in [target, source].enumerated() {
                // No two of one time: the server in memory takes those for one.
                test.server.deliver(
                    Self.message, to: Self.address, mailbox: mailbox.id,
                    receivedAt: test.clock.now - Double(number * 2 + offset + 1))
            }
        }
        let end = move.isTakenBack ? source.name : target.name
        let expected = [source.name, target.name].reduce(into: [String: Int]()) { counts, name in
            let count = move.copies + (name == end ? 1 : 0)
            if count > 0 { counts[name] = count }
        }
        try await test.wait(for: "\(expected)") {
            test.clock.advance(by: 60)
            await test.settle()
            let now = try await counts(test)
            return now.here == expected && now.there == expected
        }
        // No further round finds anything to change.
        test.clock.advance(by: 2_000)
        await test.settle()
        let rest = try await counts(test)
        #expect(rest.here == expected && rest.there == expected)
        if move.copies == 0 { #expect(try await test.emailIDs() == [id]) }
        await test.kernel.stop()
    }
}
