import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// Two kernels on one store, one clock and one mail server. The first one looks after all accounts.
struct SharedKernels {
    let one: TestKernel
    let other: TestKernel
    let scriptOfOne: Script
    let scriptOfOther: Script
    var ada: Id<Account> { one.ada }

    /// - Parameters:
    ///   - secretsOfOther: nil for the same as on the first computer.
    ///   - whileOneWorks: runs before the second kernel is started.
    init(
        secretsOfOther: SecretDrawers? = nil, sinks: [MemoryNotificationSink] = [],
        whileOneWorks: (TestKernel, Script) async throws -> Void = { _, _ in }
    ) async throws {
        let disk = MemoryStorage.Disk()
        let (first, second) = (Script(), Script())
        let secrets = SecretDrawers()
        one = try await TestKernel(
            on: disk, secrets: secrets, isShared: true, sinks: Array(sinks.prefix(1)),
            wrap: { ScriptedSession($0, first) })
        // As the program does it: from here on each hears of the other.
        _ = try await one.kernel.store.open()
        try await whileOneWorks(one, first)
        other = try await TestKernel(
            on: disk, clock: one.clock, server: one.server, secrets: secretsOfOther ?? secrets,
            isShared: true, sinks: Array(sinks.dropFirst()), wrap: { ScriptedSession($0, second) })
        _ = try await other.kernel.store.open()
        (scriptOfOne, scriptOfOther) = (first, second)
    }

    /// The store has given the first kernel's leases away, as if the kernel had been asleep.
    static func loseLeases(of kernel: TestKernel) async throws {
        let storage = try #require(kernel.storage as? MemoryStorage)
        storage.close()
        _ = storage.open()
    }

    /// The first kernel writes nothing more, and the store knows it.
    static func kill(_ kernel: TestKernel) { (kernel.storage as? MemoryStorage)?.close() }

    /// Waits while time passes, so that kernels look for free leases.
    func pass(_ seconds: Double = 2, for what: String, until isSo: @Sendable () async throws -> Bool)
        async throws
    {
        try await other.wait(for: what) {
            if try await isSo() { return true }
            one.clock.advance(by: seconds)
            return false
        }
    }

    func submit(on kernel: TestKernel, at date: Date? = nil) async throws -> Id<EmailSubmission> {
        let message = Data(
            "From: ada@example.org\r\nTo: grace@example.org\r\nSubject: Hi\r\nMessage-ID: <hi@example.org>\r\n\r\nHi"
                .utf8)
        let drafts = try await kernel.mailbox(.drafts)
        let email = try await kernel.kernel.mail.add(
            message, to: [drafts], keywords: [.draft, .seen], receivedAt: kernel.clock.now, in: ada)
        let identity = try #require(try await kernel.storage.identities(nil, in: ada).first)
        return try await kernel.kernel.outbox.submit(
            message, of: email, as: identity,
            envelope: Envelope(mailFrom: "ada@example.org", rcptTo: ["grace@example.org"]), at: date
        ).id
    }

    func submission(_ id: Id<EmailSubmission>) async throws -> EmailSubmission {
        try #require(try await other.storage.submissions([id], in: ada).first)
    }

    func deliver(_ subject: String) {
        one.server.deliver(
            Data("From: g@navy.example\r\nTo: ada@example.org\r\nSubject: \(subject)\r\n\r\nText".utf8),
            to: "ada@example.org", receivedAt: one.clock.now)
    }

    func hasMail(_ subject: String) async throws -> Bool {
        let query = EmailQuery(in: [ada], filter: .subject(subject), limit: 10)
        return try await !other.storage.queryEmails(query).hits.isEmpty
    }

    func stop() async {
        await one.kernel.stop()
        await other.kernel.stop()
    }
}
