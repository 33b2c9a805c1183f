import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Processes mail in the background, newest first, and stores a model's results: categories, and vectors for
/// search.
///
/// Results are in the store, so a restart continues where it stopped. The work has low priority: it pauses
/// while the machine is busy or on battery, and the page says so. Mail of the last day and messages on the
/// screen are always sorted first, because that takes little time.
actor Sorting {
    private static let batch = 8
    private static let restInterval = 60.0
    /// A model that fails is tried again after a rest, after twice as long, and so on up to this. It is out
    /// of memory for most of it.
    private static let longestRest = 960.0
    private static let day = 86_400.0
    private static let mostSenders = 5000

    private enum Pass {
        case done
        case rested(Machine.Strain)
    }

    private struct Candidate: Equatable {
        let name: String?
        let revivals: Int
    }

    private let store: MailStore
    private let models: Models
    private let categories: Categories
    private let machine: Machine
    private let clock: any HostClock
    private let log: LogOutput
    private var tasks: [Task<Void, Never>] = []
    private var rest: Task<Void, Never>?
    private var failures = 0
    /// The model that failed last, as long as it is left alone.
    private var failed: Candidate?
    private var prototypes: (name: String, vectors: [EmailCategory: [[Float]]])?
    /// Whether the user has written to a sender.
    private var acquaintances: [String: Bool] = [:]

    init(
        store: MailStore, models: Models, categories: Categories, machine: Machine, clock: any HostClock,
        log: LogOutput
    ) {
        self.store = store
        self.models = models
        self.categories = categories
        self.machine = machine
        self.clock = clock
        self.log = log
    }

    func start() {
        guard tasks.isEmpty else { return }
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let news = store.news.listen()
        tasks = [
            Task {
                for await states in news where Self.matters(states) { wake.yield() }
                wake.finish()
            },
            Task { [categories] in
                await categories.whenWanted { wake.yield() }
                wake.yield()
                for await _ in wakes { await work(wake) }
            },
        ]
    }

    func stop() async {
        rest?.cancel()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
    }

    private static func matters(_ states: [StateNews.Key: State]) -> Bool {
        states.keys.contains { $0.type == .email || $0.type == .account || $0.type == Models.dataType }
    }

    private func work(_ wake: AsyncStream<Void>.Continuation) async {
        let candidate = Candidate(
            name: Sorter.name(of: await models.roles()), revivals: await models.revivals)
        // Ignores unrelated changes; a different model may succeed, or this one on the user's request.
        guard failed != candidate else { return }
        failed = nil
        var pause: Double?
        do {
            let strain = try await sortAll()
            if strain != nil { pause = Self.restInterval }
            try await categories.paused(strain)
            failures = 0
        } catch {
            guard !Task.isCancelled else { return }
            log.write(.info, "mailkernel", "A model could not sort mail. \(Self.sentence(error))")
            pause = Self.rest(afterFailures: failures)
            failures += 1
            failed = candidate
        }
        rest?.cancel()
        guard let pause, !Task.isCancelled else { return }
        rest = Task {
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            failed = nil
            wake.yield()
        }
    }

    static func rest(afterFailures count: Int) -> Double {
        (0..<count).reduce(restInterval) { rest, _ in min(2 * rest, longestRest) }
    }

    /// A batch of each account in turn, until nothing is left. Returns why something is left, if so.
    private func sortAll() async throws -> Machine.Strain? {
        while true {
            try Task.checkCancellation()
            let roles = await models.roles()
            guard let name = Sorter.name(of: roles) else { return nil }
            var isLeft = false
            var strain: Machine.Strain?
            for account in try await store.read.accounts() where store.looksAfter(account.id) {
                switch try await sortBatch(of: account, with: roles, name) {
                case .none: break
                case .rested(let why)?: strain = why
                case .done?: isLeft = true
                }
            }
            if !isLeft { return strain }
        }
    }

    /// Nil if there is nothing to do.
    private func sortBatch(
        of account: Account, with roles: ModelRoles, _ name: String
    ) async throws -> Pass? {
        let wanted = await categories.takeWanted(Self.batch, in: account.id)
        let strain = wanted.isEmpty ? machine.strain() : nil
        if strain == nil, wanted.isEmpty { try await categories.paused(nil) }
        // What the user has said counts for all that is read after it.
        let corrected =
            strain != nil || !wanted.isEmpty ? [] : try await categories.unread(of: account.id, by: name)
        let ids =
            !wanted.isEmpty
            ? wanted
            : corrected.isEmpty
                ? try await store.insights.emailsWithoutInsight(by: name, in: account.id, limit: Self.batch)
                : Array(corrected.prefix(Self.batch))
        guard !ids.isEmpty else { return nil }
        var emails = try await store.read.emails(ids, in: account.id)
        if let strain {
            let yesterday = clock.now.addingTimeInterval(-Self.day)
            emails = emails.filter { $0.email.receivedAt >= yesterday }
            if emails.isEmpty { return .rested(strain) }
        }
        let former = try await store.insights.insights(of: emails.map(\.email.id), in: account.id)
        let byID = Dictionary(former.map { ($0.emailID, $0) }) { first, _ in first }
        var items: [Sorter.Item] = []
        for stored in emails {
            guard let body = try await store.read.body(of: stored.email.id, in: account.id) else {
                continue
            }
            items.append(Sorter.Item(stored: stored, body: body, former: byID[stored.email.id]))
        }
        // Destroyed since: there is nothing to keep, and the next look will not see them.
        guard !items.isEmpty else { return wanted.isEmpty ? nil : .done }
        let insights = try await insights(for: items, of: account, with: roles, name)
        try await keep(insights)
        await categories.wereRead(insights.map(\.emailID), in: account.id)
        return .done
    }

    private func insights(
        for items: [Sorter.Item], of account: Account, with roles: ModelRoles, _ name: String
    ) async throws -> [EmailInsight] {
        let trustsLabels = try await RemoteMap.load(account.id, from: store).features.contains(.imports)
        let sorter = Sorter(
            roles: roles, prototypes: try await prototypes(roles.reader, name),
            corrections: try await categories.corrections(of: account.id)
        ) { stored throws(StorageError) in
            try await self.context(stored, account, trustsLabels)
        }
        let learned = try await categories.learned(of: account.id, by: name)
        do {
            return try await sorter.insights(for: items, learned: learned)
        } catch let error as ModelError {
            guard case .failed = error, !Task.isCancelled else { throw error }
            return try await oneByOne(items, sorter, learned)
        }
    }

    /// A message that a model cannot read must not keep the others from being sorted, nor be tried forever.
    private func oneByOne(
        _ items: [Sorter.Item], _ sorter: Sorter, _ learned: [LearnedMail]
    ) async throws -> [EmailInsight] {
        var insights: [EmailInsight] = []
        var unread: [Sorter.Item] = []
        for item in items {
            do {
                insights += try await sorter.insights(for: [item], learned: learned)
            } catch let error as ModelError {
                guard case .failed = error, !Task.isCancelled else { throw error }
                // Otherwise it is not the message's fault. Asked each time: a provider may give up a model
                // that fails several times in a row.
                try await tryOut(sorter.roles)
                unread.append(item)
            }
        }
        let plain = Sorter(
            roles: ModelRoles([]), prototypes: [:], corrections: sorter.corrections, context: sorter.context)
        for var insight in try await plain.insights(for: unread, learned: []) {
            insight.modelID = Sorter.name(of: sorter.roles) ?? ""
            insights.append(insight)
        }
        return insights
    }

    private func tryOut(_ roles: ModelRoles) async throws {
        let text = "Hello."
        if let reader = roles.reader {
            _ = try await reader.embed([text])
        } else if let classifier = roles.classifier {
            _ = try await classifier.classify([text], labels: Prototypes.labels)
        }
    }

    /// An email that was destroyed in the meantime must not prevent storing the others' insights.
    private func keep(_ insights: [EmailInsight]) async throws(StorageError) {
        do throws(StorageError) {
            try await store.commit(insights.map { .putInsight($0) })
        } catch {
            guard case .notFound = error else { throw error }
            for insight in insights { try await keepIfThere(insight) }
        }
    }

    private func keepIfThere(_ insight: EmailInsight) async throws(StorageError) {
        do throws(StorageError) {
            try await store.commit([.putInsight(insight)])
        } catch {
            guard case .notFound = error else { throw error }
        }
    }

    private func prototypes(
        _ reader: ModelHandle?, _ name: String
    ) async throws -> [EmailCategory: [[Float]]] {
        guard let reader else { return [:] }
        if let prototypes, prototypes.name == name { return prototypes.vectors }
        var vectors: [EmailCategory: [[Float]]] = [:]
        for (category, texts) in Prototypes.texts { vectors[category] = try await reader.embed(texts) }
        prototypes = (name, vectors)
        return vectors
    }

    private func context(
        _ stored: StoredEmail, _ account: Account, _ trustsLabels: Bool
    ) async throws(StorageError) -> SignalContext {
        let own = account.address.lowercased()
        let sender = Sender(stored.email.header).address
        var context = SignalContext(ownAddress: own, trustsLabels: trustsLabels)
        guard sender != own, !sender.isEmpty else { return context }
        context.isKnownSender = try await isKnown(sender, in: account.id)
        if !stored.email.header.inReplyTo.isEmpty {
            let thread = try await store.read.threads([stored.threadID], in: account.id).first
            let others = (thread?.emailIDs ?? []).suffix(20)
            let emails = try await store.read.emails(Array(others), in: account.id)
            context.isInOwnThread = emails.contains { Sender($0.email.header).address == own }
        }
        return context
    }

    private func isKnown(_ sender: String, in accountID: Id<Account>) async throws(StorageError) -> Bool {
        let key = "\(accountID) \(sender)"
        if let known = acquaintances[key] { return known }
        let written = EmailQuery(
            in: [accountID], filter: .and([.inRole(.sent), .to(sender)]), limit: 1)
        let known = try await !store.read.queryEmails(written).hits.isEmpty
        if acquaintances.count >= Self.mostSenders { acquaintances = [:] }
        acquaintances[key] = known
        return known
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as ModelError: error.sentence
        case let error as StorageError: error.sentence
        default: "\(error)"
        }
    }
}
