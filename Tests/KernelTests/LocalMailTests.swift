import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail
@testable import Sync

/// FR-SYNC-05: mail that is here alone, or that only this program has moved, outlives whatever the service makes of
/// the changes around it.
@Suite("FR-SYNC-05: a change that comes to nothing takes no mail with it", .timeLimit(.minutes(10)))
struct LocalMailTests {
    private static let ada = NumberedMail.address

    private func message(_ number: Int) -> Data { NumberedMail.message(number) }

    private func scene(messages: Int = 0) async throws -> (TestKernel, Script) {
        try await NumberedMail.scene(messages)
    }

    /// Until the service knows all that was changed here.
    private func tellAll(_ test: TestKernel) async throws {
        try await test.wait(for: "all of it") {
            test.clock.advance(by: 45)
            await test.settle()
            return try await PendingChanges(store: test.kernel.store, accountID: test.ada).all().isEmpty
        }
        await test.settle()
    }

    private func create(_ name: String, _ test: TestKernel) async throws -> Id<Mailbox> {
        try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: name)
        ).id
    }

    private func move(
        _ ids: [Id<Email>], from source: Id<Mailbox>, to target: Id<Mailbox>, _ test: TestKernel
    ) async throws {
        try await test.kernel.mail.update(
            ids.map { EmailUpdate($0, in: test.ada, addMailboxes: [target], removeMailboxes: [source]) },
            in: test.ada)
    }

    private func mailboxNames(_ test: TestKernel) -> [String] {
        test.server.mailboxes(of: Self.ada).map(\.name)
    }

    // MARK: A mailbox that is deleted

    /// Emptied here into a mailbox that could not be made there: it is not empty there.
    @Test func aMailboxThatIsNotEmptyThereStays() async throws {
        let (test, script) = try await scene(messages: 1)
        let inbox = try await test.mailbox(.inbox)
        let old = try await create("Old", test)
        let id = try #require(try await test.emailIDs().first)
        try await move([id], from: inbox, to: old, test)
        try await tellAll(test)
        test.server.setOutage(.offline)
        let new = try await create("Not/possible", test)
        try await move([id], from: old, to: new, test)
        try await test.kernel.mail.destroyMailbox(old, in: test.ada, evenWithEmails: false)
        script.change { $0.applyOutcomes = [.refused(.invalid(field: "name", reason: "No such name."))] }
        test.server.setOutage(nil)
        try await tellAll(test)
        #expect(mailboxNames(test).contains("Old"))
        #expect(test.server.messages(of: Self.ada).count == 1)
        try await test.wait(for: "the mail where the service has it") {
            test.clock.advance(by: 45)
            let names = try await test.storage.mailboxes(nil, in: test.ada).filter {
                $0.mailbox.name == "Old"
            }
            guard let back = names.first?.mailbox.id else { return false }
            return try await test.email(id).mailboxIDs == [back]
        }
        let texts = try await test.kernel.notices.all().map(\.notice.text)
        #expect(texts.contains("A folder could not be deleted. It still contains mail."))
    }

    /// Deleted once it was empty here; the service then refuses what emptied it. Mail goes on coming.
    @Test func aMoveOutOfADeletedMailboxThatIsRefusedIsUndone() async throws {
        let (test, script) = try await scene(messages: 1)
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let old = try await create("Old", test)
        let id = try #require(try await test.emailIDs().first)
        try await move([id], from: inbox, to: old, test)
        try await tellAll(test)
        test.server.setOutage(.offline)
        try await move([id], from: old, to: archive, test)
        try await test.kernel.mail.destroyMailbox(old, in: test.ada, evenWithEmails: false)
        script.change { $0.applyOutcomes = Array(repeating: .failed(.refused("Over quota.")), count: 4) }
        test.server.setOutage(nil)
        try await tellAll(test)
        #expect(try await test.emailIDs() == [id])
        #expect(mailboxNames(test).contains("Old"))
        test.server.deliver(message(7), to: Self.ada)
        try await test.wait(for: "new mail") { try await test.emailIDs().count == 2 }
    }

    /// Below a mailbox that has gone below it meanwhile.
    @Test func aRenamingThatCannotBeUndoneEndsNothing() async throws {
        let (test, script) = try await scene()
        let (above, below) = (try await create("Above", test), try await create("Below", test))
        try await tellAll(test)
        let mail = test.kernel.mail
        func rename(_ id: Id<Mailbox>, under parent: Id<Mailbox>?) async throws {
            let stored = try await test.storage.mailboxes([id], in: test.ada).first
            let before = try #require(stored).mailbox
            var after = before
            after.parentID = parent
            try await mail.updateMailboxes([MailboxChange(from: before, to: after)])
        }
        try await rename(below, under: above)
        try await tellAll(test)
        test.server.setOutage(.offline)
        try await rename(below, under: nil)
        try await rename(above, under: below)
        script.change { $0.applyOutcomes = [.refused(.refused("No."))] }
        test.server.setOutage(nil)
        try await tellAll(test)
        test.server.deliver(message(7), to: Self.ada)
        try await test.wait(for: "new mail") { try await test.emailIDs().count == 1 }
    }

    /// Out of an inbox and a label into Trash goes in two steps.
    @Test func whatFollowsAMoveIsTakenBackWithIt() async throws {
        let script = Script()
        let test = try await TestKernel(wrap: { ScriptedSession($0, script) })
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 1 }
        let id = try #require(try await test.emailIDs().first)
        let (inbox, trash) = (try await test.mailbox(.inbox), try await test.mailbox(.trash))
        let work = try await create("Work", test)
        let mail = test.kernel.mail
        try await mail.update([EmailUpdate(id, in: test.ada, addMailboxes: [work])], in: test.ada)
        try await tellAll(test)
        let before = test.server.messages(of: Self.ada).map(\.mailboxIDs)
        script.change { $0.applyOutcomes = [.refused(.refused("No."))] }
        try await mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox, work])],
            in: test.ada)
        try await tellAll(test)
        #expect(try await test.email(id).mailboxIDs == [inbox, work])
        #expect(before.first?.count == 2 && test.server.messages(of: Self.ada).map(\.mailboxIDs) == before)
        #expect(try await test.kernel.notices.all().count == 1)
    }

    /// Taken back as one: it would be nowhere in between, for where it was is gone.
    @Test func bothStepsAreTakenBackAtOnce() async throws {
        let test = try await TestKernel()
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 1 }
        let id = try #require(try await test.emailIDs().first)
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let (old, one, two) = (
            try await create("Old", test), try await create("One", test), try await create("Two", test)
        )
        try await move([id], from: inbox, to: old, test)
        try await tellAll(test)
        test.server.setOutage(.offline)
        let mail = test.kernel.mail
        try await mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [one, two], removeMailboxes: [old])], in: test.ada)
        try await mail.destroyMailbox(old, in: test.ada, evenWithEmails: true)
        let store = test.kernel.store
        let pending = try await PendingChanges(store: store, accountID: test.ada).all()
        #expect(pending.map(\.change.follows) == [nil, pending.first?.name, nil])
        let whole = try #require(pending.first).change.joined(with: pending[1].change)
        let account = try #require(try await store.account(test.ada))
        try await store.commit(try await UndoneChange(whole, account: account, store: store).changes())
        #expect(try await test.email(id).mailboxIDs == [archive])
    }

    // MARK: Mail that is here alone

    /// It goes along in a move whose answer is lost.
    @Test func whatTheServiceNeverHadIsNotGoneThere() async throws {
        let (test, script) = try await scene(messages: 1)
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let there = try #require(try await test.emailIDs().first)
        script.change { $0.appendErrors = Array(repeating: .refused("Over quota."), count: 4) }
        let here = try await test.kernel.mail.add(
            message(8), to: [inbox], keywords: [], receivedAt: test.clock.now, in: test.ada
        ).email.id
        try await tellAll(test)
        script.change { $0.losesApplyAnswer = true }
        try await move([there, here], from: inbox, to: archive, test)
        try await tellAll(test)
        #expect(Set(try await test.emailIDs()) == [there, here])
        #expect(test.server.messages(of: Self.ada).map(\.mailboxIDs) == [[Id("archive")]])
    }

    /// FR-ACCT-02: the service could not take it, so it can be had nowhere else.
    @Test func theWindowSparesWhatIsHereAlone() async throws {
        let (test, script) = try await scene(messages: 1)
        script.change { $0.appendErrors = Array(repeating: .refused("Over quota."), count: 4) }
        let here = try await test.kernel.mail.add(
            message(8), to: [try await test.mailbox(.archive)], keywords: [], receivedAt: test.clock.now,
            in: test.ada
        ).email.id
        try await tellAll(test)
        try await test.wait(for: "the end of what is old") {
            test.clock.advance(by: 10 * 86_400)
            await test.settle()
            return try await test.emailIDs().count == 1
        }
        #expect(try await test.emailIDs() == [here])
    }

    /// Older than what is read: that it has arrived does not show in a reading.
    @Test func oldMailIsAddedOnce() async throws {
        let (test, script) = try await scene()
        script.change { $0.losesAppendAnswer = true }
        let old = try await test.kernel.mail.add(
            message(9), to: [try await test.mailbox(.archive)], keywords: [],
            receivedAt: test.clock.now - 60 * 86_400, in: test.ada
        ).email.id
        try await tellAll(test)
        #expect(test.server.messages(of: Self.ada).count == 1)
        #expect(try await !test.storage.remoteRefs(of: [old], in: test.ada).isEmpty)
    }

    // MARK: A mailbox that cannot be read

    /// It says nothing of a change in others.
    @Test func aMailboxThatCannotBeReadUndoesNoChangeOfOthers() async throws {
        let (test, script) = try await scene(messages: 1)
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let id = try #require(try await test.emailIDs().first)
        script.change {
            $0.failingFeeds = [FeedID("trash"): .refused("No.")]
            $0.namesNoMoves = true
        }
        try await move([id], from: inbox, to: archive, test)
        try await tellAll(test)
        #expect(try await test.email(id).mailboxIDs == [archive])
        #expect(test.server.messages(of: Self.ada).map(\.mailboxIDs) == [[Id("archive")]])
        #expect(try await test.kernel.notices.all().isEmpty)
    }

    /// Whether it has arrived is seen when it can be read again.
    @Test func aChangeWaitsForTheMailboxThatItShowsIn() async throws {
        let (test, script) = try await scene(messages: 1)
        let (inbox, archive) = (try await test.mailbox(.inbox), try await test.mailbox(.archive))
        let id = try #require(try await test.emailIDs().first)
        script.change {
            $0.failingFeeds = [FeedID("archive"): .refused("No.")]
            $0.namesNoMoves = true
        }
        try await move([id], from: inbox, to: archive, test)
        for _ in 0..<8 {
            test.clock.advance(by: 45)
            await test.settle()
        }
        #expect(try await test.email(id).mailboxIDs == [archive])
        #expect(try await test.kernel.notices.all().isEmpty)
        script.change { $0.failingFeeds = [:] }
        try await tellAll(test)
        #expect(try await test.emailIDs() == [id])
        #expect(try await !test.storage.remoteRefs(of: [id], in: test.ada).isEmpty)
    }
}
