import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// The categories of emails: what was found, and what the user says instead.
public actor Categories {
    public static let dataType = DataType(rawValue: "Category")
    /// How many emails of a sender follow a correction at once.
    private static let mostOfSender = 500

    private struct Known {
        var corrections: Corrections
        /// Vectors of the corrected emails, by the model that made them.
        var learnt: (name: String, vectors: [(category: EmailCategory, vector: [Float])])?
    }

    private let store: MailStore
    private let models: Models
    private let clock: any HostClock
    private let board: StateBoard
    private var known: [Id<Account>: Known] = [:]

    init(store: MailStore, models: Models, clock: any HostClock, runID: String) {
        self.store = store
        self.models = models
        self.clock = clock
        board = StateBoard(type: Self.dataType, news: store.news, runID: runID)
    }

    public nonisolated func state(in accountID: Id<Account>) -> State { board.state(in: accountID) }

    /// The categories of emails; those that are not sorted yet are `uncategorized`. All are, where no model
    /// is there.
    public func categories(
        of ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [Id<Email>: (category: EmailCategory, isCorrected: Bool)] {
        guard await models.roles().offers.categories else { return [:] }
        let insights = try await store.backend.insights(of: ids, in: accountID)
        return Dictionary(insights.map { ($0.emailID, ($0.category, $0.isCorrected)) }) { first, _ in first }
    }

    /// Puts an email where the user says it belongs, and all others of its sender with it.
    public func correct(
        _ id: Id<Email>, to category: EmailCategory, in accountID: Id<Account>
    ) async throws {
        guard let email = try await store.backend.emails([id], in: accountID).first?.email else {
            throw StorageError.notFound("email \(id)")
        }
        var corrections = try await corrections(of: accountID)
        let former = try await store.backend.insights(of: [id], in: accountID).first
        var insight =
            former ?? EmailInsight(emailID: id, accountID: accountID, modelID: "", category: category)
        insight.category = category
        insight.isCorrected = true
        let sender = Sender(email.header).address
        let correction = Correction(emailID: id, sender: sender, category: category, at: clock.now)
        var changes = try corrections.add(correction, in: accountID)
        changes.append(.putInsight(insight))
        if corrections.category(of: sender) == category {
            changes += try await others(from: sender, than: id, in: accountID, to: category)
        }
        try await store.commit(changes)
        known[accountID] = Known(corrections: corrections)
        board.changed(in: accountID)
    }

    private func others(
        from sender: String, than id: Id<Email>, in accountID: Id<Account>, to category: EmailCategory
    ) async throws(StorageError) -> [StorageChange] {
        guard !sender.isEmpty else { return [] }
        let query = EmailQuery(in: [accountID], filter: .from(sender), limit: Self.mostOfSender)
        let ids = try await store.backend.queryEmails(query).hits.map(\.emailID).filter { $0 != id }
        let emails = try await store.backend.emails(ids, in: accountID)
        // The filter finds names and other addresses too.
        let same = emails.filter { Sender($0.email.header).address == sender }.map(\.email.id)
        return try await store.backend.insights(of: same, in: accountID).compactMap { insight in
            guard !insight.isCorrected, insight.category != category else { return nil }
            var insight = insight
            insight.category = category
            return .putInsight(insight)
        }
    }

    // MARK: For sorting

    func corrections(of accountID: Id<Account>) async throws(StorageError) -> Corrections {
        if let known = known[accountID] { return known.corrections }
        let corrections = try await Corrections.load(accountID, from: store)
        if known[accountID] == nil { known[accountID] = Known(corrections: corrections) }
        return corrections
    }

    /// What a model makes of the emails that the user has sorted, as far as it has read them.
    func learnt(
        of accountID: Id<Account>, by name: String
    ) async throws(StorageError) -> [(category: EmailCategory, vector: [Float])] {
        let corrections = try await corrections(of: accountID)
        if let learnt = known[accountID]?.learnt, learnt.name == name { return learnt.vectors }
        let ids = corrections.all.prefix(200).map(\.emailID)
        let insights = try await store.backend.insights(of: ids, in: accountID)
        let vectors = insights.filter { $0.modelID == name && $0.isCorrected && !$0.embedding.isEmpty }
            .map { ($0.category, $0.embedding) }
        known[accountID]?.learnt = (name, vectors)
        return vectors
    }

    nonisolated func changed(in accountID: Id<Account>) { board.changed(in: accountID) }
}

/// States of a type that has none in the store: one per account, as long as the program runs.
final class StateBoard: Sendable {
    private let type: DataType
    private let news: StateNews
    private let runID: String
    private let revisions = Mutex<[Id<Account>: Int]>([:])

    init(type: DataType, news: StateNews, runID: String) {
        self.type = type
        self.news = news
        self.runID = runID
    }

    func state(in accountID: Id<Account>) -> State {
        State(rawValue: "\(runID)-\(revisions.withLock { $0[accountID] ?? 0 })")
    }

    func changed(in accountID: Id<Account>) {
        revisions.withLock { $0[accountID, default: 0] += 1 }
        news.publish([CommitResult.StateChange(type, in: accountID, state(in: accountID))])
    }
}
