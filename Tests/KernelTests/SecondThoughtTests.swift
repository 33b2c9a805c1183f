import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail

/// FR-SYNC-05, FR-SYNC-10: what is made here and changed or destroyed a moment later, whatever the program is just
/// doing. Each test does it once before every single call of the store and of the service.
@Suite("FR-SYNC-05: a second thought comes at any moment", .timeLimit(.minutes(10)))
struct SecondThoughtTests {
    private static let ada = "ada@example.org"

    /// How a service behaves.
    struct Service: Sendable, CustomTestStringConvertible {
        var layout: MemoryMailServer.Layout
        /// It takes the first message, or change, and the answer is lost.
        var losesAnswer = false
        /// It says no name of anything.
        var namesNothing = false
        var hasMessageID = true

        var testDescription: String {
            let parts = [
                losesAnswer ? "loses an answer" : nil, namesNothing ? "names nothing" : nil,
                hasMessageID ? nil : "no Message-ID",
            ]
            return ([layout.rawValue] + parts.compactMap { $0 }).joined(separator: ", ")
        }

        private static let layouts = MemoryMailServer.Layout.allCases

        static let simple = layouts.map { Service(layout: $0) }
        static let named =
            simple + [Service(layout: .labels, losesAnswer: true)]
            + (Sweep.isThorough
                ? layouts.map { Service(layout: $0, namesNothing: true) }
                    + [Service(layout: .folders, losesAnswer: true)] : [])
        static let all =
            named + [Service(layout: .folders, hasMessageID: false)]
            + (Sweep.isThorough
                ? [
                    Service(layout: .labels, hasMessageID: false),
                    Service(layout: .folders, losesAnswer: true, hasMessageID: false),
                ] : [])
        static let few = Sweep.isThorough ? all : simple
    }

    private struct Scene {
        let service: Service
        /// Done once everything is quiet.
        let first: @Sendable (TestKernel) async throws -> Void
        /// Done at some call that follows. Returns whether it could be done.
        let then: @Sendable (TestKernel) async -> Bool
        /// Holds in the end, whether or not there was such a call.
        let check: @Sendable (TestKernel, _ isDone: Bool, _ call: String) async throws -> Void

        /// Plays it until there are no more calls.
        func play() async throws {
            let count = try await Sweep.calls(every: 4) { try await play(actingAtCall: $0) }
            #expect(count > 10, "only \(count) calls")
        }

        private func play(actingAtCall number: Int) async throws -> Bool {
            let (kernel, counting) = (Watched<TestKernel?>(nil), Watched<CallCounter?>(nil))
            let script = Script()
            let clock = ManualClock()
            let server = MemoryMailServer(
                logins: [MemoryAccountPlugin.logins[0]], layout: service.layout, clock: clock)
            let counter = CallCounter(number) {
                guard let test = kernel.value else { return false }
                return await then(test)
            }
            let test = try await TestKernel(
                clock: clock, server: server, wrap: { ScriptedSession($0, script) },
                wrapStorage: { storage in
                    InterceptedStorage(storage) { (name) async throws(StorageError) in
                        await counting.value?.call(name)
                    }
                })
            kernel.withLock { $0 = test }
            counting.withLock { $0 = counter }
            script.change { [service] in
                $0.losesAppendAnswer = service.losesAnswer
                $0.losesApplyAnswer = service.losesAnswer
                $0.namesNoAppends = service.namesNothing
                $0.namesNoMoves = service.namesNothing
                $0.aroundCalls = { await counter.call("service") }
            }
            await test.settle()
            counter.setCounting(true)
            try await first(test)
            let queue = PendingChanges(store: test.kernel.store, accountID: test.ada)
            for _ in 0..<3 {
                await test.settle()
                if try await queue.all().isEmpty { break }
                clock.advance(by: 45)
            }
            counter.setCounting(false)
            for _ in 0..<2 {
                clock.advance(by: 61)
                await test.kernel.accounts.refresh(test.ada)
                await test.settle()
            }
            let call = "call \(number)"
            try await check(test, counter.isDone, call)
            let (waiting, notices) = (try await queue.all(), try await test.kernel.notices.all())
            #expect(waiting.map(\.change) == [], "\(call)")
            #expect(notices.map(\.notice.text) == [], "\(call)")
            await test.kernel.stop()
            return counter.isDone
        }
    }

    private static func message(_ service: Service) -> Data {
        let name = service.hasMessageID ? "Message-ID: <made-here@example.org>\r\n" : ""
        return Data("From: g@example.org\r\nSubject: Made here\r\n\(name)\r\nText\r\n".utf8)
    }

    /// Adds a message. Destroyed before this has returned, it is not found by this either.
    private static func add(_ test: TestKernel, _ service: Service) async throws {
        let archive = try await test.mailbox(.archive)
        _ = try? await test.kernel.mail.add(
            message(service), to: [archive], keywords: [.seen], receivedAt: test.clock.now, in: test.ada)
    }

    /// FR-SYNC-10: it comes back neither here nor there.
    @Test(arguments: Service.all) func whatIsDestroyedStaysAway(_ service: Service) async throws {
        try await Scene(
            service: service, first: { try await Self.add($0, service) },
            then: { test in
                guard let ids = try? await test.emailIDs(), !ids.isEmpty else { return false }
                try? await test.kernel.mail.destroy(ids, in: test.ada)
                return true
            },
            check: { test, isDone, call in
                let count = isDone ? 0 : 1
                let emails = try await test.emailIDs()
                #expect(emails.count == count, "\(call)")
                #expect(test.server.messages(of: Self.ada).count == count, "\(call)")
                let notes = try await UnnamedEmails(store: test.kernel.store, accountID: test.ada).all()
                #expect(notes.isEmpty, "\(call)")
            }
        ).play()
    }

    /// Its keywords and its mailbox are changed.
    @Test(arguments: Service.few) func whatIsChangedIsChangedThere(_ service: Service) async throws {
        try await Scene(
            service: service, first: { try await Self.add($0, service) },
            then: { test in
                guard let id = try? await test.emailIDs().first, let trash = try? await test.mailbox(.trash),
                    let archive = try? await test.mailbox(.archive)
                else { return false }
                let update = EmailUpdate(
                    id, in: test.ada, addKeywords: [.flagged], addMailboxes: [trash],
                    removeMailboxes: [archive])
                _ = try? await test.kernel.mail.update([update], in: test.ada)
                return true
            },
            check: { test, isDone, call in
                let ids = try await test.emailIDs()
                #expect(ids.count == 1, "\(call)")
                let here = try await test.email(try #require(ids.first))
                let there = test.server.messages(of: Self.ada)
                #expect(there.map(\.keywords) == [here.keywords], "\(call)")
                let place = try await test.mailbox(isDone ? .trash : .archive)
                #expect(here.mailboxIDs == [place], "\(call)")
                #expect(
                    there.map(\.mailboxIDs) == [[Id(isDone ? "trash" : "archive")]], "\(call)")
                #expect(here.keywords.contains(.flagged) == isDone, "\(call)")
            }
        ).play()
    }

    /// Moved, as to Trash, and destroyed there.
    @Test(arguments: Service.few.filter(\.hasMessageID))
    func whatIsDestroyedWhileItMovesStaysAway(_ service: Service) async throws {
        try await Scene(
            service: service,
            first: { test in
                test.server.deliver(Self.message(service), to: Self.ada)
                try await test.wait(for: "the mail") { try await test.emailIDs().count == 1 }
                await test.settle()
                let id = try #require(try await test.emailIDs().first)
                let update = EmailUpdate(
                    id, in: test.ada, addMailboxes: [try await test.mailbox(.trash)],
                    removeMailboxes: [try await test.mailbox(.inbox)])
                _ = try? await test.kernel.mail.update([update], in: test.ada)
            },
            then: { test in
                guard let trash = try? await test.mailbox(.trash), let id = try? await test.emailIDs().first,
                    let email = try? await test.email(id), email.mailboxIDs == [trash]
                else { return false }
                try? await test.kernel.mail.destroy([id], in: test.ada)
                return true
            },
            check: { test, isDone, call in
                let count = isDone ? 0 : 1
                let emails = try await test.emailIDs()
                #expect(emails.count == count, "\(call)")
                #expect(test.server.messages(of: Self.ada).count == count, "\(call)")
            }
        ).play()
    }

    @Test(arguments: Service.named)
    func aMailboxThatIsDestroyedStaysAway(_ service: Service) async throws {
        try await Scene(
            service: service,
            first: { test in
                _ = try await test.kernel.mail.createMailbox(
                    Mailbox(id: Id(""), accountID: test.ada, name: "Made here"))
            },
            then: { test in
                guard let all = try? await test.storage.mailboxes(nil, in: test.ada),
                    let made = all.first(where: { $0.mailbox.name == "Made here" })
                else { return false }
                let mail = test.kernel.mail
                try? await mail.destroyMailbox(made.mailbox.id, in: test.ada, evenWithEmails: true)
                return true
            },
            check: { test, isDone, call in
                let here = try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox.name)
                let there = test.server.mailboxes(of: Self.ada).map(\.name)
                let count = isDone ? 0 : 1
                #expect(here.filter { $0 == "Made here" }.count == count, "\(call)")
                #expect(there.filter { $0 == "Made here" }.count == count, "\(call)")
            }
        ).play()
    }
}
