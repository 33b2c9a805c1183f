import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MailKernelConformance
import Sync
import Testing

@testable import Accounts
@testable import Network

@Suite("One of several kernels looks after an account", .timeLimit(.minutes(5))) struct SharedKernelTests {
    private func turn(_ test: TestKernel) -> SyncStatus.Turn? {
        test.kernel.accounts.status.all.statuses[test.ada]?.turn
    }

    @Test func oneOfThemSyncsAndBothShowIt() async throws {
        let pair = try await SharedKernels()
        #expect(turn(pair.one) == .here && turn(pair.other) == .elsewhere)
        pair.deliver("Engine")
        try await pair.other.wait(for: "mail in the other kernel") { try await pair.hasMail("Engine") }
        #expect(pair.scriptOfOne.now.rounds > 0 && pair.scriptOfOther.now.rounds == 0)
        await pair.stop()
    }

    @Test func aKernelThatStopsLeavesItsTurnToAnother() async throws {
        let pair = try await SharedKernels()
        await pair.one.kernel.stop()
        try await pair.pass(for: "the other's turn") { turn(pair.other) == .here }
        pair.deliver("Loom")
        try await pair.other.wait(for: "mail by the other kernel") { try await pair.hasMail("Loom") }
        await pair.stop()
    }

    @Test func aKernelThatIsGoneIsSucceeded() async throws {
        let pair = try await SharedKernels()
        SharedKernels.kill(pair.one)
        try await pair.pass(for: "the other's turn") { turn(pair.other) == .here }
        pair.deliver("Loom")
        try await pair.other.wait(for: "mail by the other kernel") { try await pair.hasMail("Loom") }
        await pair.stop()
    }

    @Test func aCommitUnderALostLeaseEndsTheWork() async throws {
        let pair = try await SharedKernels { one, _ in try await SharedKernels.loseLeases(of: one) }
        #expect(turn(pair.one) == .here && turn(pair.other) == .here, "the first one does not know yet")
        // Both sync it, and the first one's commit shows that its turn is over.
        pair.deliver("Engine")
        await pair.one.kernel.accounts.changed(pair.ada)
        try await pair.one.wait(for: "the end of the turn") { turn(pair.one) == .elsewhere }
        #expect(!pair.one.kernel.store.looksAfter(pair.ada))
        try await pair.other.wait(for: "mail by the other kernel") { try await pair.hasMail("Engine") }
        await pair.stop()
    }

    @Test func aLeaseThatCannotBeConfirmedIsGivenUp() async throws {
        let pair = try await SharedKernels()
        // An account without any commits: only the looks every two seconds can tell.
        try await SharedKernels.loseLeases(of: pair.one)
        try await pair.pass(for: "one turn in all") {
            turn(pair.one) == .elsewhere && turn(pair.other) == .here
                || turn(pair.one) == .here && turn(pair.other) == .elsewhere
        }
        #expect(pair.one.kernel.store.looksAfter(pair.ada) != pair.other.kernel.store.looksAfter(pair.ada))
        await pair.stop()
    }

    @Test func withoutASignInTheTurnIsLeftToOthers() async throws {
        let pair = try await SharedKernels(secretsOfOther: SecretDrawers())
        #expect(turn(pair.other) == .signInNeeded)
        await pair.one.kernel.stop()
        for _ in 0..<5 { pair.one.clock.advance(by: 2) }
        #expect(!pair.other.kernel.store.looksAfter(pair.ada) && pair.scriptOfOther.now.rounds == 0)
        await pair.stop()
    }

    /// The servers of an account added on another computer must be allowed before the sign-in is tried.
    @Test func hostsEnteredElsewhereAreAllowedForASignIn() async throws {
        let pair = try await SharedKernels(secretsOfOther: SecretDrawers())
        let key = DocumentKey("accountHosts", "entered", accountID: pair.ada)
        try await pair.one.kernel.store.commit([.putDocument(Document(key, value: ["mail.example.net"]))])
        let accounts = pair.other.kernel.accounts
        let isAllowed = { (host: String) in
            accounts.hosts.entered.allows(host, for: TestKernel.pluginID)
        }
        #expect(!isAllowed("mail.example.net"))
        // It is refused by the service, so the permission is not from an account that was taken up.
        let wrong = AccountCandidate(
            settings: ["address": "ada@example.org"], secrets: ["password": Secret("wrong")])
        await #expect(throws: AccountError.self) {
            try await accounts.reauthenticate(pair.ada, with: [wrong])
        }
        #expect(isAllowed("mail.example.net") && !isAllowed("other.example.net"))
        await pair.stop()
    }

    @Test func aChangeMadeElsewhereReachesTheService() async throws {
        let pair = try await SharedKernels()
        pair.deliver("Engine")
        try await pair.other.wait(for: "mail") { try await pair.hasMail("Engine") }
        let query = EmailQuery(in: [pair.ada], filter: .subject("Engine"), limit: 1)
        let id = try #require(try await pair.other.storage.queryEmails(query).hits.first?.emailID)
        _ = try await pair.other.kernel.actions.perform(
            .star, on: .emails([id]), in: pair.ada, client: "test")
        try await pair.one.wait(for: "the star on the server") {
            pair.one.server.messages(of: "ada@example.org").contains { $0.keywords.contains(.flagged) }
        }
        #expect(pair.scriptOfOther.now.rounds == 0)
        await pair.stop()
    }

    @Test func partsAreFetchedWithoutATurn() async throws {
        let pair = try await SharedKernels()
        #expect(await pair.other.kernel.accounts.session(pair.ada) != nil)
        #expect(await pair.other.kernel.accounts.sync(pair.ada) == nil)
        await pair.stop()
    }

    @Test(arguments: [false, true]) func oneOfThemNotifies(onEveryComputer: Bool) async throws {
        let sinks = [
            MemoryNotificationSink(permission: .granted), MemoryNotificationSink(permission: .granted),
        ]
        let pair = try await SharedKernels(sinks: sinks)
        try await pair.one.kernel.preferences.set(["notifyOnEveryComputer": .bool(onEveryComputer)])
        pair.deliver("Engine")
        try await pair.one.wait(for: "the notification") { sinks[0].shown.contains { $0.body == "Engine" } }
        if onEveryComputer {
            try await pair.other.wait(for: "the other's") { sinks[1].shown.contains { $0.body == "Engine" } }
        } else {
            // What follows is heard after it.
            pair.deliver("Loom")
            try await pair.other.wait(for: "the next mail") { try await pair.hasMail("Loom") }
            #expect(sinks[1].shown.isEmpty)
        }
        await pair.stop()
    }

    /// ORG-78: what the kernel that looked after the account could not show.
    @Test func aRuleNoticeIsShownByTheNextKernel() async throws {
        let sinks = [
            MemoryNotificationSink(permission: .denied), MemoryNotificationSink(permission: .granted),
        ]
        let pair = try await SharedKernels(sinks: sinks)
        try await RuleScene(test: pair.one).useRules(
            #"require "enotify"; if header :contains "subject" "Engine" { notify "mailkernel:notify"; }"#)
        pair.deliver("Engine")
        try await pair.other.wait(for: "the notice") {
            try await pair.other.storage.documents(
                in: "rule-notice", accountID: pair.ada, after: nil, limit: 1
            ).count == 1
        }
        await pair.one.kernel.stop()
        try await pair.pass(for: "the notification") { sinks[1].shown.map(\.body) == ["Engine"] }
        #expect(sinks[0].posts == 0 && sinks[1].posts == 1)
        await pair.stop()
    }

    @Test func aStoreOfOneKernelHasNoTurns() async throws {
        let test = try await TestKernel()
        #expect(turn(test) == nil && test.kernel.store.leases == nil)
        #expect(test.kernel.store.looksAfter(test.ada))
    }
}
