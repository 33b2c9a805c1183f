import FoundationEssentials
import MailKernelAPI
import MessageFormat
import PluginCalls
import Store

/// Three short replies to a message that the user is about to answer. They are not stored.
package actor Replies {
    package struct Suggestion: Sendable, Hashable {
        package enum Source: String, Sendable {
            case model, bank
        }

        package var replies: [String] = []
        /// Nil if there are none.
        package var source: Source?
    }

    /// After this time, the user has started writing.
    private static let patience = 8.0
    /// Of which the model that writes may use this much.
    private static let writerPatience = 6.5
    private static let alike: Float = 0.42

    private struct Job {
        var id: Int
        var emailID: Id<Email>
        var accountID: Id<Account>
        var task: Task<Result<Suggestion, StorageError>, Never>
        /// Who waits for it. When the last has gone it ends.
        var waiting = 0
    }

    private let store: MailStore
    private let models: Models
    private let clock: any HostClock
    private let bank = ReadBank()
    private var job: Job?
    private var jobs = 0

    init(store: MailStore, models: Models, clock: any HostClock) {
        self.store = store
        self.models = models
        self.clock = clock
    }

    /// Replies to an email; none without a model, for mail that needs no reply, or when it takes too long.
    /// The reader processes one message at a time: a request for another cancels the current one.
    package func suggestion(
        for id: Id<Email>, in accountID: Id<Account>
    ) async throws(StorageError) -> Suggestion {
        if let job, job.emailID == id, job.accountID == accountID, !job.task.isCancelled {
            return try await value(of: job).get()
        }
        job?.task.cancel()
        jobs += 1
        let new = Job(
            id: jobs, emailID: id, accountID: accountID,
            task: Task {
                await Deadline.run(Self.patience, clock) { await self.result(id, accountID) }
                    ?? .success(Suggestion())
            })
        job = new
        return try await value(of: new).get()
    }

    func stop() async {
        job?.task.cancel()
        _ = await job?.task.value
        await bank.stop()
    }

    private func value(of waited: Job) async -> Result<Suggestion, StorageError> {
        job?.waiting += 1
        let suggestion = await withTaskCancellationHandler {
            await waited.task.value
        } onCancel: {
            Task { await leave(waited) }
        }
        if job?.id == waited.id { job = nil }
        return suggestion
    }

    private func leave(_ left: Job) {
        guard job?.id == left.id else { return left.task.cancel() }
        job?.waiting -= 1
        if job?.waiting == 0 { left.task.cancel() }
    }

    private func result(
        _ id: Id<Email>, _ accountID: Id<Account>
    ) async -> Result<Suggestion, StorageError> {
        do throws(StorageError) {
            return .success(try await make(id, accountID))
        } catch {
            // A canceled request has no results.
            return error == .cancelled || Task.isCancelled ? .success(Suggestion()) : .failure(error)
        }
    }

    private func make(
        _ id: Id<Email>, _ accountID: Id<Account>
    ) async throws(StorageError) -> Suggestion {
        let roles = await models.roles()
        guard roles.offers.replies,
            let account = try await store.account(accountID),
            let email = try await store.read.emails([id], in: accountID).first?.email,
            Self.isAnswerable(email, by: account),
            let body = try await store.read.body(of: id, in: accountID),
            !HeaderFacts(body.headers).isBulk
        else { return Suggestion() }
        let text = WrittenText.of(body)
        let subject = email.header.subject ?? ""
        guard !text.isEmpty, let language = MailLanguage.of("\(subject) \(text)") else { return Suggestion() }
        // Beside the writing: when that takes too long, there is no time left to begin.
        let choosing = roles.reader.map { reader in Task { await find(subject, text, language, reader) } }
        defer { choosing?.cancel() }
        if let writer = roles.writer {
            let written = await Deadline.run(Self.writerPatience, clock) {
                await Self.write(writer, subject, text, language)
            }
            if let written = written ?? nil { return Suggestion(replies: written, source: .model) }
        }
        guard let choosing, !Task.isCancelled else { return Suggestion() }
        let found = await withTaskCancellationHandler {
            await choosing.value
        } onCancel: {
            choosing.cancel()
        }
        return found.map { Suggestion(replies: $0, source: .bank) } ?? Suggestion()
    }

    /// No replies to automatic mail, or to the user's own messages.
    private static func isAnswerable(_ email: Email, by account: Account) -> Bool {
        let sender = Sender(email.header)
        return !sender.address.isEmpty && !sender.isNoReply
            && sender.address != account.address.lowercased() && !email.keywords.contains(.draft)
            && !email.keywords.contains(.junk)
    }

    static func write(
        _ writer: ModelHandle, _ subject: String, _ text: String, _ language: MailLanguage
    ) async -> [String]? {
        let answer = try? await writer.generate(
            ReplyWriter.instruction(language), data: ReplyWriter.data(subject: subject, text: text),
            maximumTokens: 120, grammar: ReplyWriter.grammar)
        return answer.flatMap { ReplyWriter.replies(in: $0, language: language) }
    }

    /// The replies of the occasion that the message is most like.
    private func find(
        _ subject: String, _ text: String, _ language: MailLanguage, _ reader: ModelHandle
    ) async -> [String]? {
        guard let examples = await bank.examples(in: language, by: reader), !Task.isCancelled else {
            return nil
        }
        // The request is in one sentence, often the last; the whole text gives the topic.
        let sentences = Sentences.of(text).filter { $0.count >= 12 }.suffix(6)
        guard let vectors = try? await reader.embed(["\(subject). \(text.prefix(600))"] + sentences) else {
            return nil
        }
        let bonuses = ReplyCues.bonuses(in: "\(subject) \(text)", language)
        var best: (similarity: Float, occasion: Int)?
        for example in examples {
            guard let bonus = bonuses.map({ $0[example.occasion] }) ?? 0 else { continue }
            let similarity = bonus + (vectors.map { Vectors.dot($0, example.vector) }.max() ?? 0)
            if similarity > best?.similarity ?? -1 { best = (similarity, example.occasion) }
        }
        guard let best, best.similarity >= Self.alike else { return ReplyBank.general[language] }
        return ReplyBank.occasions[language]?[best.occasion].replies
    }
}
