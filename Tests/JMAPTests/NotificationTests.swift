import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Secrets
import Synchronization
import Testing

@testable import Care
@testable import Compose
@testable import Kernel

/// FR-SET-01 (notifications).
@Suite("New mail is told of outside the page", .timeLimit(.minutes(20))) struct NotificationTests {
    private let sink = MemoryNotificationSink(permission: .undecided)

    private func test(
        _ sink: MemoryNotificationSink? = nil, on disk: MemoryStorage.Disk = MemoryStorage.Disk(),
        program: ProgramAccess = ProgramAccess(), proof: any UserProof = AbsentProof()
    ) async throws -> TestKernel {
        try await TestKernel(on: disk, sinks: [sink ?? self.sink], program: program, proof: proof)
    }

    private func deliver(
        _ test: TestKernel, _ number: Int, from: String = "Grace Hopper <grace@navy.example>",
        to address: String = "ada@example.org", hoursAgo: Double = 0
    ) {
        let message =
            "From: \(from)\r\nTo: \(address)\r\nSubject: Number \(number)\r\n"
            + "Message-ID: <news-\(number)@example.org>\r\n\r\nA secret body."
        test.server.deliver(
            Data(message.utf8), to: address, receivedAt: test.clock.now - hoursAgo * 3600)
    }

    private func unread(_ test: TestKernel) async throws -> Int {
        var unread = 0
        for account in test.accounts.map(\.id) {
            unread += try await test.storage.mailboxes(nil, in: account)
                .filter { $0.mailbox.role == .inbox }.reduce(0) { $0 + $1.counts.unreadEmails }
        }
        return unread
    }

    /// E-SO-22: sender, subject and the number of unread messages; permission is asked only now.
    @Test func theSenderAndTheSubjectAreShownAndTheBadgeCounts() async throws {
        let test = try await test()
        #expect(sink.shown.isEmpty, "what was there before is no news")
        #expect(await sink.permission() == .undecided, "there was no occasion to ask")
        let before = try await unread(test)
        try await test.wait(for: "the badge of what was there") { sink.badge == before }
        deliver(test, 1, from: "=?utf-8?q?Grace=E2=80=AE_=0AHopper?= <grace@navy.example>")
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        let shown = sink.shown[0]
        #expect(shown.title == "Grace Hopper" && shown.body == "Number 1", "\(shown)")
        #expect(shown.actions.map(\.id) == ["open", "archive"])
        #expect(shown.group == test.ada.rawValue)
        try await test.wait(for: "the badge") { sink.badge == before + 1 }
        #expect(await sink.permission() == .granted)
    }

    @Test func manyAtOnceAreOneAndOldMailIsNone() async throws {
        let test = try await test()
        deliver(test, 0, hoursAgo: 2)
        deliver(test, 100, from: "Ada <Ada@example.org>")
        for number in 1...8 { deliver(test, number, from: "Sender \(number % 5) <s@example.org>") }
        try await test.wait(for: "one for all") {
            sink.shown.count == 1 && sink.shown[0].title == "8 new messages"
        }
        #expect(sink.shown[0].body.hasSuffix("and others"), "\(sink.shown)")
        // What comes later is told by itself again.
        test.clock.advance(by: 60)
        deliver(test, 9)
        try await test.wait(for: "the next one") { sink.shown.count == 2 }
        #expect(sink.shown[1].body == "Number 9")
    }

    @Test func whoeverSeesThePageIsNotToldTwice() async throws {
        let test = try await test()
        let window = Task {
            for await _ in test.jmap.events(EventSubscription(windowID: "w"), for: TestKernel.page) {}
        }
        try await test.wait(for: "the window") { await test.kernel.presence.isAnyVisible }
        let count = try await test.emailIDs().count
        deliver(test, 1)
        try await test.wait(for: "the mail") { try await test.emailIDs().count > count }
        try await test.wait(for: "its being noted") { await test.kernel.notifications.hasTold > 0 }
        // Nor once the page is away.
        #expect(await test.kernel.presence.setVisible(false, "w"))
        deliver(test, 2)
        try await test.wait(for: "the next one") { !sink.shown.isEmpty }
        #expect(sink.shown.map(\.body) == ["Number 2"])
        window.cancel()
    }

    @Test func anAccountThatShallNotNotifyDoesNot() async throws {
        let test = try await test()
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        _ = try await test.program(
            "Preferences/set",
            ["update": ["singleton": ["notificationPreferences": [test.ada.rawValue: false]]]])
        try await test.wait(for: "its end, with the switch") { sink.shown.isEmpty }
        let count = try await test.emailIDs().count
        deliver(test, 2)
        try await test.wait(for: "the mail") { try await test.emailIDs().count > count }
        deliver(test, 3, from: "Ada <ada@example.org>", to: "grace@example.org")
        try await test.wait(for: "the other account's") { !sink.shown.isEmpty }
        #expect(sink.shown.map(\.group) == [test.grace.rawValue])
    }

    @Test func whatIsReadElsewhereIsWithdrawn() async throws {
        let test = try await test()
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        let id = Id<Email>(sink.shown[0].id.rawValue)
        let unread = try await unread(test)
        try await test.wait(for: "the badge, which comes later") { sink.badge == unread }
        try await test.kernel.mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.seen])], in: test.ada)
        try await test.wait(for: "its end") { sink.shown.isEmpty && sink.badge == unread - 1 }
        // Marked as unread it is no news.
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, removeKeywords: [.seen])], in: test.ada)
        deliver(test, 2)
        try await test.wait(for: "what is news") { !sink.shown.isEmpty }
        #expect(sink.shown.map(\.body) == ["Number 2"])
    }

    @Test func itIsArchivedFromTheNotification() async throws {
        let test = try await test()
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        let shown = sink.shown[0]
        let inbox = try await test.mailbox(.inbox)
        try await test.wait(for: "a reader of actions") { sink.respond(to: shown.id, action: "archive") }
        try await test.wait(for: "the archive") {
            try await !test.email(Id(shown.id.rawValue)).mailboxIDs.contains(inbox)
        }
        try await test.wait(for: "its end") { sink.shown.isEmpty }
    }

    @Test func aClickOpensTheConversation() async throws {
        let opened = Mutex<[String]>([])
        let test = try await test(
            program: ProgramAccess(openPage: { place in
                opened.withLock { $0.append(place?.threadID.rawValue ?? "the page") }
            }))
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        let shown = sink.shown[0]
        let thread = try #require(
            try await test.storage.emails([Id(shown.id.rawValue)], in: test.ada).first
        ).threadID
        try await test.wait(for: "a reader of actions") { sink.respond(to: shown.id, action: nil) }
        try await test.wait(for: "the page") { opened.withLock { !$0.isEmpty } }
        #expect(opened.withLock { $0 } == [thread.rawValue])
        // A click on what is not there does nothing.
        sink.respond(to: Id("gone"), action: "archive")
        deliver(test, 2)
        try await test.wait(for: "the next one") { !sink.shown.isEmpty }
        #expect(opened.withLock { $0.count } == 1)
    }

    /// FR-COMP-02: outside the page, for the page that would tell is closed.
    @Test func thatAMessageWaitsToBeSentIsTold() async throws {
        let test = try await test()
        await test.kernel.presence.opened("w")
        let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
        let draft = try await test.kernel.drafts.create(
            DraftContent(
                identityID: identity.id, to: [EmailAddress(email: "grace@example.org")], subject: "Secret",
                body: "Text"), in: test.ada)
        _ = try await test.kernel.sending.send(draft.id, in: test.ada, isFromPage: true)
        await test.kernel.presence.closed("w")
        try await test.wait(for: "the notification") {
            test.clock.advance(by: 4)
            return sink.shown.map(\.title) == ["Waiting to be sent"]
        }
        #expect(
            sink.shown[0].body
                == "A message is waiting to be sent. It will be sent once mailkernel is open again.")
        await test.kernel.presence.opened("w")
        try await test.wait(for: "its end") { sink.shown.isEmpty }
    }

    @Test func aSummaryWithNamesGoesOnceTheAppLockIsOn() async throws {
        let test = try await test(proof: Everybody())
        for number in 1...5 { deliver(test, number) }
        try await test.wait(for: "the summary") { sink.shown.first?.title == "5 new messages" }
        #expect(sink.shown.first?.body.contains("Grace") == true)
        #expect(try await test.kernel.appLock.setEnabled(true, Secret("")) == .right)
        try await test.wait(for: "its end") { sink.shown.isEmpty }
    }

    /// With the app lock on, a notification does not show who wrote what.
    @Test func nothingOfTheContentIsShownWithTheAppLockOn() async throws {
        let test = try await test(proof: Everybody())
        deliver(test, 1)
        try await test.wait(for: "the notification") { sink.shown.first?.body == "Number 1" }
        #expect(try await test.kernel.appLock.setEnabled(true, Secret("")) == .right)
        try await test.wait(for: "the end of what says too much") { sink.shown.isEmpty }
        for number in 2...3 { deliver(test, number) }
        try await test.wait(for: "a closed one") { sink.shown.first?.title == "2 new messages" }
        #expect(sink.shown.count == 1)
        let text = sink.shown.map { "\($0)" }.joined()
        for word in ["Grace", "Hopper", "Number", "secret", "rchive"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    @Test(arguments: ["post", "requestPermission"])
    func aPluginThatHangsHoldsUpNoOther(_ call: String) async throws {
        let stuck = StuckSink(permission: .undecided)
        stuck.hangsIn.withLock { $0 = call }
        let test = try await TestKernel(sinks: [stuck, sink])
        deliver(test, 1)
        await stuck.calls.wait { $0.contains(call) }
        try await test.wait(for: "the notification of the other") { sink.shown.first?.body == "Number 1" }
        let id = Id<Email>(sink.shown[0].id.rawValue)
        try await test.kernel.mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.seen])], in: test.ada)
        try await test.wait(for: "its end") { sink.shown.isEmpty }
        stuck.hangsIn.withLock { $0 = nil }
        deliver(test, 2)
        try await test.wait(for: "only the next one") { stuck.inner.shown.map(\.body) == ["Number 2"] }
    }

    /// Whatever a plugin hung in when the app lock was turned on, and however many posts waited for it.
    @Test(arguments: ["permission", "post"])
    func nothingIsShownOnceTheAppLockIsOnThatWaitedForAPlugin(_ call: String) async throws {
        let stuck = StuckSink(permission: .granted)
        let test = try await TestKernel(sinks: [stuck, sink], proof: Everybody())
        deliver(test, 1)
        try await test.wait(for: "both notifications") { !sink.shown.isEmpty && !stuck.inner.shown.isEmpty }
        let count = stuck.calls.value.count
        stuck.hangsIn.withLock { $0 = call }
        deliver(test, 2)
        deliver(test, 3)
        await stuck.calls.wait { $0.dropFirst(count).contains(call) }
        try await test.wait(for: "the others") { sink.shown.count == 3 }
        #expect(try await test.kernel.appLock.setEnabled(true, Secret("")) == .right)
        try await test.wait(for: "the end of what the other shows") { sink.shown.isEmpty }
        stuck.hangsIn.withLock { $0 = nil }
        try await test.wait(for: "the end of all") { stuck.inner.shown.isEmpty }
        deliver(test, 4)
        try await test.wait(for: "a closed one") { stuck.inner.shown.map(\.title) == ["New mail"] }
        #expect(stuck.inner.posts == (call == "post" ? 3 : 2))
    }

    /// A call that was given up may still show something.
    @Test func whatIsShownTooLateIsWithdrawn() async throws {
        let clock = ManualClock()
        let stuck = StuckSink(permission: .granted)
        let calls = ProviderCalls(clock: clock)
        let test = try await TestKernel(clock: clock, sinks: [stuck, sink], calls: calls)
        stuck.hangsIn.withLock { $0 = "post" }
        deliver(test, 1)
        try await test.wait(for: "the notification of the other") { !sink.shown.isEmpty }
        await stuck.calls.wait { $0.contains("post") }
        try await test.wait(for: "the deadline") {
            clock.advance(by: 5)
            return !calls.givenUp(by: "org.example.sink0").isEmpty
        }
        let id = Id<Email>(sink.shown[0].id.rawValue)
        try await test.kernel.mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.seen])], in: test.ada)
        try await test.wait(for: "its end") { sink.shown.isEmpty }
        stuck.hangsIn.withLock { $0 = nil }
        try await test.wait(for: "its end there") {
            clock.advance(by: 5)
            return stuck.inner.posts == 1 && stuck.inner.shown.isEmpty
        }
    }

    /// A program that was killed leaves notifications lying there, which the next one takes away.
    @Test func anotherStartTakesAwayWhatWasLeft() async throws {
        let disk = MemoryStorage.Disk()
        let test = try await test(on: disk)
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        let next = try await TestKernel(
            on: disk, clock: test.clock, server: test.server, hasAccounts: false, sinks: [sink])
        try await next.wait(for: "its end") { sink.shown.isEmpty }
        await next.kernel.stop()
        await test.kernel.stop()
    }

    @Test func theEndOfTheProgramTakesAllAway() async throws {
        let test = try await test()
        deliver(test, 1)
        try await test.wait(for: "the notification") { !sink.shown.isEmpty }
        await test.kernel.stop()
        #expect(sink.shown.isEmpty && sink.badge == 0)
    }

    /// E-SO-21: the switch goes on to work in the page, and Settings says why nothing is shown outside of it.
    @Test func aRefusalIsSaid() async throws {
        let denied = MemoryNotificationSink(permission: .denied)
        let test = try await TestKernel(sinks: [denied])
        let status = try await test.program("NotificationStatus/get")["list"][0]
        #expect(
            status == [
                "id": "singleton", "canNotify": false,
                "reason": "Your desktop does not allow mailkernel to show notifications.",
            ])
        let without = try await TestKernel()
        #expect(try await without.program("NotificationStatus/get")["list"][0]?["canNotify"] == false)
        // One of two is enough, and the other is left alone.
        let both = try await TestKernel(sinks: [denied, sink])
        deliver(both, 1)
        try await both.wait(for: "the notification") { !sink.shown.isEmpty }
        #expect(denied.posts == 0)
        #expect(try await both.program("NotificationStatus/get")["list"][0]?["canNotify"] == true)
    }
}

/// Hangs in one call for as long as it is told to, canceled or not.
private final class StuckSink: NotificationSink {
    let inner: MemoryNotificationSink
    let hangsIn = Watched<String?>(nil)
    let calls = Watched<[String]>([])

    init(permission: NotificationPermission) { inner = MemoryNotificationSink(permission: permission) }

    private func come(_ call: String) async {
        calls.withLock { $0.append(call) }
        await Task { [hangsIn] in await hangsIn.wait { $0 != call } }.value
    }

    var features: NotificationFeatures { inner.features }

    func permission() async -> NotificationPermission {
        await come("permission")
        return await inner.permission()
    }

    func requestPermission() async throws(NotificationError) -> NotificationPermission {
        await come("requestPermission")
        return try await inner.requestPermission()
    }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        await come("post")
        try await inner.post(notification)
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {
        try await inner.withdraw(ids)
    }

    func setBadge(_ count: Int) async throws(NotificationError) { try await inner.setBadge(count) }
}

private struct Everybody: UserProof {
    let problem: String? = nil

    func check(_ password: Secret) async -> ProofOutcome { .proven }
}
