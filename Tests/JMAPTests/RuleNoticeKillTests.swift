import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Kernel
@testable import Rules

/// ORG-78: once, also if something fails in between.
extension RuleNoticeTests {
    /// A store that fails for a while neither repeats a notification nor counts one twice.
    @Test func aFailedWriteRepeatsNothing() async throws {
        let fails = Mutex(false)
        let sink = RecordingSink()
        sink.whenPosted.withLock { $0 = { fails.withLock { $0 = true } } }
        let test = try await TestKernel(
            sinks: [sink],
            wrapStorage: {
                InterceptedStorage($0) { call throws(StorageError) in
                    guard call == "commit", fails.withLock({ $0 }) else { return }
                    throw .unwritable(reason: "A test has it so.")
                }
            })
        try await useRules(test)
        deliver(test, "Urgent", "urgent")
        try await test.wait(for: "its failed end") { await test.kernel.notifications.mustLookAgain }
        let entry = Notifications.Entry(accountID: test.ada, emailIDs: [], postedAt: test.clock.now)
        await #expect(throws: StorageError.self) {
            try await test.kernel.notifications.post(
                MailNotification(id: Id("x"), title: "X", body: "X"), entry)
        }
        #expect(await test.kernel.notifications.entries[Id("x")] == nil)
        sink.whenPosted.withLock { $0 = nil }
        fails.withLock { $0 = false }
        await test.kernel.presence.opened("w")
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        #expect(sink.posted.value.count == 1)
        await test.kernel.stop()
    }

    /// A notification is never lost. One that was being shown when the program was killed replaces itself.
    @Test func aKillLosesNone() async throws {
        let writes = try await Sweep.calls(every: 3) { try await isKilled(atWrite: $0 - 1) }
        #expect(writes > 5, "there are more writes than \(writes)")
    }

    /// Returns whether there was such a write.
    private func isKilled(atWrite number: Int) async throws -> Bool {
        let (disk, clock, secrets) = (MemoryStorage.Disk(), ManualClock(), SecretDrawers())
        // Several batches: one has its rules while the next one arrives.
        let server = MemoryMailServer(
            logins: MemoryAccountPlugin.logins, layout: .labels, batchSize: 2, clock: clock)
        let sink = RecordingSink()
        let first = try await test(sink, on: disk, clock: clock, server: server, secrets: secrets)
        let wasReached = Watched(false)
        disk.stop(afterWrites: number) {
            // A program that was killed shows nothing any more.
            sink.isSilent.withLock { $0 = true }
            wasReached.withLock { $0 = true }
            server.setOutage(.offline)
        }
        for number in 0..<3 { deliver("Urgent \(number)", "u\(number)", to: server, at: clock.now) }
        try await first.wait(for: "the end, or the kill") {
            if wasReached.value { return true }
            return try await isOver(first, sink)
        }
        await first.kernel.stop()
        let wasKilled = disk.goOn()
        server.setOutage(nil)
        sink.isSilent.withLock { $0 = false }
        let second = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, sinks: [sink])
        let last = Mutex(ContinuousClock.now)
        try await second.wait(for: "all notifications") {
            if try await isOver(second, sink) { return true }
            // What could not be done at once is tried again later.
            let isDue = last.withLock { last in
                guard last.duration(to: .now) > .milliseconds(400) else { return false }
                last = .now
                return true
            }
            if isDue { clock.advance(by: 300) }
            return false
        }
        await second.kernel.stop()
        let ids = sink.posted.value
        let most = wasKilled ? 2 : 1
        let counts = Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 <= most }, "killed at \(number): \(ids)")
        #expect(ids.allSatisfy { $0.hasPrefix("rule-") }, "killed at write \(number): \(ids)")
        return wasKilled
    }

    private func isOver(_ test: TestKernel, _ sink: RecordingSink) async throws -> Bool {
        guard Set(sink.posted.value).count >= 3 else { return false }
        let (rules, notices) = (try await waiting(test, "arrival"), try await waiting(test))
        return rules == 0 && notices == 0
    }
}

/// Notes what it shows.
final class RecordingSink: NotificationSink {
    let posted = Watched<[String]>([])
    /// Calls of `post` that have begun.
    let asked = Watched(0)
    /// Calls of `post` wait while it is not.
    let isOpen = Watched(true)
    let isSilent = Mutex(false)
    let isDenied = Mutex(false)
    let fails = Mutex(false)
    let whenPosted = Mutex<(@Sendable () -> Void)?>(nil)

    let features: NotificationFeatures = [.body]

    func permission() async -> NotificationPermission { isDenied.withLock { $0 } ? .denied : .granted }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        asked.withLock { $0 += 1 }
        await isOpen.wait { $0 }
        if fails.withLock({ $0 }) { throw .refused("A test has it so.") }
        guard !isSilent.withLock({ $0 }) else { return }
        posted.withLock { $0.append(notification.id.rawValue) }
        whenPosted.withLock { $0 }?()
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {}
}
