import FoundationEssentials
import MailKernelAPI
import Store
import Synchronization

/// The categories of emails: the model's results and the user's corrections.
package actor Categories {
    package static let dataType = DataType(rawValue: "Category")
    /// How many emails of a sender follow a correction at once.
    private static let mostOfSender = 500
    /// A client that asks for more emails than a screen shows does not look at them all.
    private static let mostWanted = 200
    /// From how many corrections, the newest, a model learns.
    private static let mostLearned = 200

    private struct Known {
        var corrections: Corrections
        /// A model's results for the corrected emails, and those it has not processed yet.
        var learned: (name: String, mail: [LearnedMail], unread: [Id<Email>])?
    }

    private let store: MailStore
    private let models: Models
    private let clock: any HostClock
    private let board: StateBoard
    private var known: [Id<Account>: Known] = [:]
    /// Emails that a client looks at and that are not sorted yet, those asked for last at the end.
    private var wanted: [Id<Account>: [Id<Email>]] = [:]
    private var wake: @Sendable () -> Void = {}
    /// Why older mail is not being sorted now.
    package private(set) var pause: Machine.Strain?

    init(store: MailStore, models: Models, clock: any HostClock) {
        self.store = store
        self.models = models
        self.clock = clock
        board = StateBoard(type: Self.dataType, news: store.news)
    }

    package nonisolated func state(in accountID: Id<Account>) -> State { board.state(in: accountID) }

    /// The categories of emails; those that are not sorted yet are `uncategorized`. All are, where no model
    /// is there.
    package func categories(
        of ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [Id<Email>: (category: EmailCategory, isCorrected: Bool)] {
        guard await models.roles().offers.categories else { return [:] }
        let insights = try await store.insights.insights(of: ids, in: accountID)
        want(ids, besides: Set(insights.map(\.emailID)), in: accountID)
        return Dictionary(insights.map { ($0.emailID, ($0.category, $0.isCorrected)) }) { first, _ in first }
    }

    /// Messages on a screen are sorted before all others.
    func want(_ ids: [Id<Email>], besides sorted: Set<Id<Email>>, in accountID: Id<Account>) {
        let unsorted = ids.filter { !sorted.contains($0) }
        guard !unsorted.isEmpty else { return }
        let before = (wanted[accountID] ?? []).filter { !unsorted.contains($0) }
        // The first of a list is looked at first.
        wanted[accountID] = Array((before + unsorted.reversed()).suffix(Self.mostWanted))
        wake()
    }

    /// Puts an email where the user says it belongs, and all others of its sender with it.
    package func correct(
        _ id: Id<Email>, to category: EmailCategory, in accountID: Id<Account>
    ) async throws {
        guard let email = try await store.read.emails([id], in: accountID).first?.email else {
            throw StorageError.notFound("email \(id)")
        }
        var corrections = try await corrections(of: accountID)
        let former = try await store.insights.insights(of: [id], in: accountID).first
        var insight =
            former ?? EmailInsight(emailID: id, accountID: accountID, modelID: "", category: category)
        insight.category = category
        insight.isCorrected = true
        let sender = Sender(email.header).address
        let correction = Correction(emailID: id, sender: sender, category: category, at: clock.now)
        var changes = try corrections.add(correction, in: accountID)
        changes.append(.putInsight(insight))
        var learned = insight.modelID.isEmpty ? [] : try await learned(of: accountID, by: insight.modelID)
        learned.append(LearnedMail(sender: sender, category: category, vector: insight.embedding))
        changes += try await others(from: sender, than: id, in: accountID) {
            corrections.category(
                of: sender, like: $0.modelID == insight.modelID ? $0.embedding : [], among: learned)
        }
        try await store.commit(changes)
        known[accountID] = Known(corrections: corrections)
        board.changed(in: accountID)
    }

    private func others(
        from sender: String, than id: Id<Email>, in accountID: Id<Account>,
        belong: (EmailInsight) -> EmailCategory?
    ) async throws(StorageError) -> [StorageChange] {
        guard !sender.isEmpty else { return [] }
        let query = EmailQuery(in: [accountID], filter: .from(sender), limit: Self.mostOfSender)
        let ids = try await store.read.queryEmails(query).hits.map(\.emailID).filter { $0 != id }
        let emails = try await store.read.emails(ids, in: accountID)
        // The filter finds names and other addresses too.
        let same = emails.filter { Sender($0.email.header).address == sender }.map(\.email.id)
        return try await store.insights.insights(of: same, in: accountID).compactMap { insight in
            guard !insight.isCorrected, let category = belong(insight), insight.category != category else {
                return nil
            }
            var insight = insight
            insight.category = category
            return .putInsight(insight)
        }
    }

    // MARK: For sorting

    func whenWanted(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// The emails on the screen, each returned once.
    func takeWanted(_ count: Int, in accountID: Id<Account>) -> [Id<Email>] {
        let taken = Array((wanted[accountID] ?? []).suffix(count).reversed())
        wanted[accountID]?.removeLast(taken.count)
        return taken
    }

    package func paused(_ strain: Machine.Strain?) async throws(StorageError) {
        guard pause != strain else { return }
        let accounts = try await store.read.accounts()
        pause = strain
        for account in accounts { board.changed(in: account.id) }
    }

    func corrections(of accountID: Id<Account>) async throws(StorageError) -> Corrections {
        if let known = known[accountID] { return known.corrections }
        let corrections = try await Corrections.load(accountID, from: store)
        if known[accountID] == nil { known[accountID] = Known(corrections: corrections) }
        return corrections
    }

    /// A model's results for the emails that the user has sorted, as far as available.
    func learned(of accountID: Id<Account>, by name: String) async throws(StorageError) -> [LearnedMail] {
        try await lessons(of: accountID, by: name).mail
    }

    /// Those of them that it has not processed yet.
    func unread(of accountID: Id<Account>, by name: String) async throws(StorageError) -> [Id<Email>] {
        try await lessons(of: accountID, by: name).unread
    }

    private func lessons(
        of accountID: Id<Account>, by name: String
    ) async throws(StorageError) -> (mail: [LearnedMail], unread: [Id<Email>]) {
        let corrections = try await corrections(of: accountID)
        if let learned = known[accountID]?.learned, learned.name == name {
            return (learned.mail, learned.unread)
        }
        let newest = corrections.all.prefix(Self.mostLearned)
        let senders = Dictionary(newest.map { ($0.emailID, $0.sender) }) { first, _ in first }
        let insights = try await store.insights.insights(of: newest.map(\.emailID), in: accountID)
            .filter(\.isCorrected)
        let mail = insights.filter { $0.modelID == name && !$0.embedding.isEmpty }
            .map {
                LearnedMail(sender: senders[$0.emailID] ?? "", category: $0.category, vector: $0.embedding)
            }
        let unread = insights.filter { $0.modelID != name }.map(\.emailID)
        known[accountID]?.learned = (name, mail, unread)
        return (mail, unread)
    }

    /// A model has processed emails. Its results for corrected ones are learned.
    func wereRead(_ ids: [Id<Email>], in accountID: Id<Account>) {
        if let corrections = known[accountID]?.corrections,
            corrections.all.contains(where: { ids.contains($0.emailID) })
        {
            known[accountID]?.learned = nil
        }
        changed(in: accountID)
    }

    nonisolated func changed(in accountID: Id<Account>) { board.changed(in: accountID) }
}

/// States of a type that has none in the store: one per account, as long as the program runs.
final class StateBoard: Sendable {
    private let type: DataType
    private let news: StateNews
    private let revisions = Mutex<[Id<Account>: Int]>([:])

    init(type: DataType, news: StateNews) {
        self.type = type
        self.news = news
    }

    func state(in accountID: Id<Account>) -> State {
        news.state(revisions.withLock { $0[accountID] ?? 0 })
    }

    func changed(in accountID: Id<Account>) {
        revisions.withLock { $0[accountID, default: 0] += 1 }
        news.publish([CommitResult.StateChange(type, in: accountID, state(in: accountID))])
    }
}
