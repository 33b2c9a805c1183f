import Accounts
import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Puts the messages that rules send into the outbox.
actor AutomaticMailer {
    private static let longest = 86_400.0
    private static let pause = 300.0

    private let store: MailStore
    private let blobs: Blobs
    private let outbox: Outbox
    private let clock: any HostClock
    private let log: LogOutput
    private var running: Set<Id<Account>> = []
    private var again: Set<Id<Account>> = []
    private var retries: [Id<Account>: Task<Void, Never>] = [:]

    init(store: MailStore, blobs: Blobs, outbox: Outbox, clock: any HostClock, log: LogOutput) {
        (self.store, self.blobs, self.outbox, self.clock, self.log) = (store, blobs, outbox, clock, log)
    }

    func stop() {
        for task in retries.values { task.cancel() }
        retries = [:]
    }

    /// Sends what waits to be sent from an account.
    func run(_ accountID: Id<Account>) async {
        guard store.looksAfter(accountID) else { return }
        guard running.insert(accountID).inserted else {
            again.insert(accountID)
            return
        }
        defer { running.remove(accountID) }
        repeat {
            again.remove(accountID)
            if await !sendAll(of: accountID) { retryLater(accountID) }
        } while again.contains(accountID)
    }

    /// Returns whether nothing is left.
    private func sendAll(of accountID: Id<Account>) async -> Bool {
        do {
            var isDone = true
            for document in try await store.allDocuments(in: AutomaticMail.collection, accountID: accountID) {
                guard let mail = document.read(as: AutomaticMail.self) else { continue }
                do {
                    try await send(mail, in: accountID)
                } catch {
                    if error is CancellationError || error.isLostLease { return true }
                    if clock.now.timeIntervalSince(mail.createdAt) > Self.longest {
                        try await giveUp(mail, because: Self.reason(error), in: accountID)
                    } else {
                        isDone = false
                    }
                }
            }
            return isDone
        } catch {
            log.write(.warning, "mailkernel", "A rule could not send a message. \(Self.reason(error))")
            return false
        }
    }

    private func send(_ mail: AutomaticMail, in accountID: Id<Account>) async throws {
        let state = try await store.read.state(of: AutomaticMail.dataType, in: accountID)
        guard try await store.read.document(mail.key(accountID)) != nil else { return }
        guard let email = try await store.read.emails([mail.emailID], in: accountID).first else {
            return try await giveUp(mail, because: "The message was deleted before.", in: accountID)
        }
        let identities = try await store.read.identities(nil, in: accountID)
        let wanted = identities.first { $0.email.lowercased() == mail.from?.lowercased() }
        guard let identity = wanted ?? identities.first else {
            return try await giveUp(mail, because: "This account cannot send mail.", in: accountID)
        }
        let message = AutomaticMessage(mail: mail, email: email.email, identity: identity, date: clock.now)
        let bytes: Data
        if mail.kind == .redirect {
            let original = try await blobs.message(BlobID(email: mail.emailID).id, in: accountID)
            bytes = try message.redirect(original)
        } else {
            bytes = try await message.written()
        }
        do {
            try await outbox.submitAutomatic(
                bytes, as: mail.submissionID, from: identity, about: email, to: mail.to,
                ifIn: [.init(AutomaticMail.dataType, in: accountID, is: state)],
                with: [.destroyDocument(mail.key(accountID))])
        } catch StorageError.stateMismatch {
            again.insert(accountID)
        }
    }

    private func giveUp(_ mail: AutomaticMail, because reason: String, in accountID: Id<Account>) async throws
    {
        let problem = RuleProblem(
            rule: mail.rule, sentence: "A message could not be sent. \(reason)", at: clock.now, count: 1)
        let known = try await RuleProblem.all(in: accountID, store)
        try await store.commit(
            try RuleProblem.changes([problem], besides: known, in: accountID)
                + [.destroyDocument(mail.key(accountID))])
    }

    private func retryLater(_ accountID: Id<Account>) {
        retries[accountID]?.cancel()
        retries[accountID] = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: Self.pause)) != nil else { return }
            await self?.run(accountID)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? StorageError)?.sentence ?? (error as? AccountError)?.sentence
            ?? (error as? BlobError)?.sentence ?? "\(error)"
    }
}
