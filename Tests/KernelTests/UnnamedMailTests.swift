import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail

/// FR-SYNC-05, FR-SYNC-10: servers need not say what they call what was moved, added or made.
@Suite("FR-SYNC-10: what a server does not name is known again", .timeLimit(.minutes(10)))
struct UnnamedMailTests {
    private static let ada = NumberedMail.address

    private func message(_ number: Int) -> Data { NumberedMail.message(number) }

    private func scene(messages: Int) async throws -> (TestKernel, Script) {
        try await NumberedMail.scene(messages)
    }

    private func waiting(_ test: TestKernel) async throws -> Int {
        try await PendingChanges(store: test.kernel.store, accountID: test.ada).all().count
    }

    // MARK: Moved

    /// As servers without MOVE or UIDPLUS do.
    @Test func whatIsChangedAfterAMoveIsChangedThere() async throws {
        let (test, script) = try await scene(messages: 2)
        script.change { $0.namesNoMoves = true }
        let id = try #require(try await test.emailIDs().first)
        let name = try #require(try await test.email(id).header.messageID.first)
        let (inbox, trash, archive) = (
            try await test.mailbox(.inbox), try await test.mailbox(.trash), try await test.mailbox(.archive)
        )
        test.server.setOutage(.offline)
        let mail = test.kernel.mail
        try await mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox])], in: test.ada)
        try await mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        try await mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [archive], removeMailboxes: [trash])], in: test.ada)
        try await mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.answered])], in: test.ada)
        test.server.setOutage(nil)
        try await tellAll(test)
        let moved = test.server.messages(of: Self.ada).filter { $0.messageID == name }
        #expect(moved.map(\.mailboxIDs) == [[Id("archive")]])
        #expect(moved.first?.keywords.isSuperset(of: [.flagged, .answered]) == true)
        #expect(try await test.emailIDs().count == 2)
        #expect(try await test.email(id).mailboxIDs == [archive])
        #expect(try await test.kernel.notices.all().isEmpty)
    }

    @Test func whatIsDestroyedAfterAMoveIsGoneThere() async throws {
        let (test, script) = try await scene(messages: 2)
        script.change { $0.namesNoMoves = true }
        let id = try #require(try await test.emailIDs().first)
        let (inbox, trash) = (try await test.mailbox(.inbox), try await test.mailbox(.trash))
        test.server.setOutage(.offline)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox])], in: test.ada)
        try await test.kernel.mail.destroy([id], in: test.ada)
        test.server.setOutage(nil)
        try await tellAll(test)
        #expect(test.server.messages(of: Self.ada).count == 1)
        #expect(try await test.emailIDs().count == 1)
    }

    /// Until the service knows all that was changed here.
    private func tellAll(_ test: TestKernel) async throws {
        try await test.wait(for: "all of it") {
            test.clock.advance(by: 45)
            await test.settle()
            return try await waiting(test) == 0
        }
        await test.settle()
    }

    // MARK: Added

    /// Another program was faster than the reading that would have found it.
    @Test(arguments: [true, false]) func whatWasTakenAwayAtOnceIsNoGhost(_ isMoved: Bool) async throws {
        let (test, script) = try await scene(messages: 0)
        script.change { script in
            script.afterAppend = {
                let addresses = test.server.messages(of: Self.ada).map(\.address)
                test.server.apply(
                    isMoved ? .move(addresses, from: Id("archive"), to: Id("trash")) : .destroy(addresses),
                    in: Self.ada)
            }
        }
        let archive = try await test.mailbox(.archive)
        _ = try await test.kernel.mail.add(
            message(7), to: [archive], keywords: [], receivedAt: test.clock.now, in: test.ada)
        let unnamed = UnnamedEmails(store: test.kernel.store, accountID: test.ada)
        try await test.wait(for: "the end of waiting for it") {
            test.clock.advance(by: 45)
            await test.settle()
            let isAwaiting = try await unnamed.isAwaitingAny
            let isPending = try await waiting(test) > 0
            return !isAwaiting && !isPending
        }
        let places = try await test.emailIDs().count
        #expect(places == (isMoved ? 1 : 0))
        for id in try await test.emailIDs() {
            #expect(try await test.email(id).mailboxIDs == [test.mailbox(.trash)])
        }
        #expect(test.server.messages(of: Self.ada).count == places)
    }

    /// Of old mail a service does not tell: what is not told of is not gone.
    @Test func whatIsOlderThanTheWindowIsNoGhost() async throws {
        let (test, _) = try await scene(messages: 0)
        let drafts = try await test.mailbox(.drafts)
        let added = try await test.kernel.mail.add(
            message(7), to: [drafts], keywords: [.draft], receivedAt: test.clock.now - 60 * 86_400,
            in: test.ada)
        let unnamed = UnnamedEmails(store: test.kernel.store, accountID: test.ada)
        try await test.wait(for: "the end of waiting for it") {
            test.clock.advance(by: 45)
            await test.settle()
            let isAwaiting = try await unnamed.isAwaitingAny
            let isPending = try await waiting(test) > 0
            return !isAwaiting && !isPending
        }
        #expect(try await test.emailIDs() == [added.email.id])
    }

    // MARK: Made

    private func names(_ test: TestKernel) async throws -> Set<String> {
        Set(try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox.name))
            .union(test.server.mailboxes(of: Self.ada).map(\.name))
    }

    /// The answer to its creation, or its new name, comes when the mailbox is no longer wanted.
    @Test(arguments: [true, false]) func aMailboxThatIsDeletedOnItsWayStaysAway(_ isNew: Bool) async throws {
        let (test, script) = try await scene(messages: 0)
        @Sendable func make() async throws -> Mailbox {
            try await test.kernel.mail.createMailbox(
                Mailbox(id: Id(""), accountID: test.ada, name: "Before"))
        }
        let before = isNew ? nil : try await make()
        await test.settle()
        let deleted = Watched(false)
        script.change { script in
            script.afterApply = {
                let all = (try? await test.storage.mailboxes(nil, in: test.ada)) ?? []
                let made = all.first { ["Before", "After"].contains($0.mailbox.name) }
                guard let id = made?.mailbox.id else { return }
                try? await test.kernel.mail.destroyMailbox(id, in: test.ada, evenWithEmails: true)
                deleted.withLock { $0 = true }
            }
        }
        if let before {
            var after = before
            after.name = "After"
            try await test.kernel.mail.updateMailboxes([MailboxChange(from: before, to: after)])
        } else {
            _ = try await make()
        }
        try await test.wait(for: "its deletion here") { deleted.value }
        try await test.wait(for: "its end") {
            test.clock.advance(by: 45)
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
            guard try await waiting(test) == 0 else { return false }
            return try await names(test).isDisjoint(with: ["Before", "After"])
        }
        for _ in 1...2 {
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
        }
        #expect(try await names(test).isDisjoint(with: ["Before", "After"]))
    }
}
