import FoundationEssentials
import MailKernelAPI
import TestSupport

/// Something that users wait for, measured the same way on every store.
struct StoreMeasure: Sendable {
    enum Goal {
        case milliseconds(Double)
        /// For what has no limit of its own.
        case timesSQLite(Double)
    }

    let name: String
    let what: String
    let goal: Goal
    /// Stores what it needs, once in each store.
    var prepare: @Sendable (any StorageBackend) async throws -> Void = { _ in }
    /// The text is another one for each way to a store.
    let run: @Sendable (any StorageBackend, String) async throws -> Waiting

    static func account(_ number: Int) -> Id<Account> {
        number == 0 ? MailGenerator.account : Id("bench\(number)")
    }

    /// - Parameter size: the messages of the large account.
    static func all(size: Int) -> [StoreMeasure] {
        lists + searches + [autocomplete, changes(size: size), usage, nearest(size: size)]
    }
}

// MARK: Lists

extension StoreMeasure {
    private static let everywhere = (0..<StoreRun.accounts).map(account)

    private static let lists = [
        list(
            "lists.mailbox", "the newest 50 of a mailbox, with their headers", in: [account(0)],
            collapse: false, .milliseconds(2)),
        list(
            "lists.small", "the same of a smaller account", in: [account(1)], collapse: false,
            .milliseconds(2)),
        list(
            "lists.page", "a page of 50 conversations, ready to be shown", in: [account(0)], collapse: true,
            .milliseconds(5)),
        list(
            "lists.all", "the same of all accounts together", in: everywhere, collapse: true, .timesSQLite(4)),
    ]

    private static func list(
        _ name: String, _ what: String, in accounts: [Id<Account>], collapse: Bool, _ goal: Goal
    ) -> StoreMeasure {
        StoreMeasure(name: name, what: what, goal: goal) { backend, _ in
            let query = EmailQuery(in: accounts, filter: .inRole(.all), collapseThreads: collapse)
            return try await waiting(over: 0..<100) { _ in
                let hits = try await backend.queryEmails(query).hits
                for (account, hits) in Dictionary(grouping: hits, by: \.accountID) {
                    _ = try await backend.emails(hits.map(\.emailID), in: account)
                    if collapse { _ = try await backend.threads(hits.map(\.threadID), in: account) }
                }
            }
        }
    }
}

// MARK: Searches

extension StoreMeasure {
    private static let searches = [
        search("search.frequent", "two frequent words", pairs(20, 20)),
        search("search.mixed", "a frequent and a rare word", pairs(20, 5_000)),
        search("search.middling", "two words of some messages in a hundred", pairs(400, 400)),
        search("search.rare", "two rare words", pairs(5_000, 5_000)),
        search("search.one", "one rare word", (0..<20).map { word(5_000 + 137 * $0) }),
        search(
            "search.all", "two frequent words in all accounts", pairs(20, 20), in: everywhere, .timesSQLite(4)
        ),
        search(
            "search.ranked", "two frequent words, best first", pairs(20, 20), .milliseconds(50),
            by: .relevance),
        search(
            "search.ranked.rare", "two rare words, best first", pairs(5_000, 5_000), .milliseconds(50),
            by: .relevance),
    ]

    private static func search(
        _ name: String, _ what: String, _ texts: [String], in accounts: [Id<Account>] = [account(0)],
        _ goal: Goal = .milliseconds(10), by property: EmailSort.Property = .receivedAt
    ) -> StoreMeasure {
        StoreMeasure(name: name, what: "50 messages with \(what)", goal: goal) { backend, _ in
            // The best match has the smallest value.
            let sort = EmailSort(property, isAscending: property == .relevance)
            return try await waiting(over: texts, times: 3) { text in
                _ = try await backend.queryEmails(
                    EmailQuery(in: accounts, filter: .text(text), sort: [sort]))
            }
        }
    }

    /// English words by how frequent they are.
    private static func word(_ rank: Int) -> String {
        let words = Language.all[0].language.words
        return words[min(rank, words.count - 1)]
    }

    private static func pairs(_ one: Int, _ other: Int) -> [String] {
        (0..<20).map { number in
            let step = other > 1_000 ? 137 : 1
            return word(one + number * (one > 1_000 ? 137 : 1)) + " " + word(other + (number + 7) * step)
        }
    }
}

// MARK: Others

extension StoreMeasure {
    private static let autocomplete = StoreMeasure(
        name: "autocomplete", what: "ten suggestions out of 10,000 contacts", goal: .milliseconds(5)
    ) { backend in
        var random = SeededRandom(5)
        let seen = (0..<10_000).map { number in
            ContactSighting(
                address: MailGenerator.person(number, Language.all[number % Language.all.count].language),
                seenAt: Date(timeIntervalSince1970: Double(number)))
        }
        // A few people write most of the mail.
        let more = (0..<20_000).map { _ in
            let rank = Int((Double.random(in: 0..<1, using: &random) * 9.2).exponential) - 1
            return seen[min(seen.count - 1, rank)]
        }
        _ = try await backend.commit(ChangeSet([.countContacts(seen + more, in: account(0))]))
    } run: { backend, _ in
        try await waiting(
            over: ["", "a", "ann", "anna s", "gr", "größ", "фед", "person12", "zz"], times: 5
        ) {
            _ = try await backend.contacts(matching: $0, limit: 10)
        }
    }

    private static func changes(size: Int) -> StoreMeasure {
        StoreMeasure(name: "changes", what: "what changed since 50 commits ago", goal: .milliseconds(2)) {
            backend, way in
            let before = try await backend.state(of: .email, in: account(0))
            for number in 0..<50 {
                let update = EmailUpdate(
                    GeneratedMessage.id(size - 1 - number), in: account(0),
                    addKeywords: [Keyword("bench-\(way)")])
                _ = try await backend.commit(ChangeSet([.updateEmail(update)]))
            }
            return try await waiting(over: 0..<100) { _ in
                _ = try await backend.changes(of: .email, in: account(0), since: before, limit: 500)
            }
        }
    }

    private static let usage = StoreMeasure(
        name: "usage", what: "how much room everything takes", goal: .timesSQLite(4)
    ) { backend, _ in
        guard let care = backend.parts.care else { throw BenchError(description: "The store has no care.") }
        return try await waiting(over: 0..<50) { _ in _ = try await care.usage() }
    }

    private static func nearest(size: Int) -> StoreMeasure {
        let count = min(size, 5_000)
        let vectors = { @Sendable (count: Int, seed: UInt64) in
            var random = SeededRandom(seed)
            return (0..<count).map { _ in (0..<384).map { _ in Float.random(in: -1...1, using: &random) } }
        }
        return StoreMeasure(
            name: "nearest", what: "the 20 nearest of \(count) vectors of 384 numbers", goal: .timesSQLite(4)
        ) { backend in
            let vectors = vectors(count, 3)
            for start in stride(from: 0, to: count, by: BenchStore.batch) {
                let changes = (start..<min(count, start + BenchStore.batch)).map { number in
                    StorageChange.putInsight(
                        EmailInsight(
                            emailID: GeneratedMessage.id(number), accountID: account(0), modelID: "model",
                            category: .primary, embedding: vectors[number]))
                }
                _ = try await backend.commit(ChangeSet(changes))
            }
        } run: { backend, _ in
            guard let insights = backend.parts.insights else {
                throw BenchError(description: "The store keeps no insights.")
            }
            return try await waiting(over: vectors(20, 4)) { question in
                _ = try await insights.nearestEmails(
                    to: question, by: "model", in: [account(0)], limit: 20)
            }
        }
    }
}
