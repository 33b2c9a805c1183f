import FoundationEssentials
import MailKernelAPI
import TestSupport

/// Something that users wait for, measured the same way on every store.
struct StoreMeasure: Sendable {
    let name: String
    let what: String
    /// Returns the 95th percentile in milliseconds.
    let run: @Sendable (any StorageBackend) async throws -> Double

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
    private static let everywhere = (0..<4).map(account)

    private static let lists = [
        list("mailbox", "the newest 50 of a mailbox, with their headers", in: [account(0)], collapse: false),
        list("mailbox.small", "the same of a smaller account", in: [account(1)], collapse: false),
        list("page", "a page of 50 conversations, ready to be shown", in: [account(0)], collapse: true),
        list("page.all", "the same of all accounts together", in: everywhere, collapse: true),
    ]

    private static func list(
        _ name: String, _ what: String, in accounts: [Id<Account>], collapse: Bool
    ) -> StoreMeasure {
        StoreMeasure(name: name, what: "p95 of \(what)") { backend in
            let query = EmailQuery(in: accounts, filter: .inRole(.all), collapseThreads: collapse)
            return try await p95(over: 0..<60) { _ in
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
        search("search.all", "two frequent words in all accounts", pairs(20, 20), in: everywhere),
        search("search.ranked", "two frequent words, best first", pairs(20, 20), by: .relevance),
        search("search.ranked.rare", "two rare words, best first", pairs(5_000, 5_000), by: .relevance),
    ]

    private static func search(
        _ name: String, _ what: String, _ texts: [String], in accounts: [Id<Account>] = [account(0)],
        by property: EmailSort.Property = .receivedAt
    ) -> StoreMeasure {
        StoreMeasure(name: name, what: "p95 of 50 messages with \(what)") { backend in
            // The best match has the smallest value.
            let sort = EmailSort(property, isAscending: property == .relevance)
            return try await p95(over: texts, times: 3) { text in
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
        name: "autocomplete", what: "p95 of ten suggestions out of 10,000 contacts"
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
        return try await p95(
            over: ["", "a", "ann", "anna s", "gr", "größ", "фед", "person12", "zz"], times: 5
        ) {
            _ = try await backend.contacts(matching: $0, limit: 10)
        }
    }

    private static func changes(size: Int) -> StoreMeasure {
        StoreMeasure(name: "changes", what: "p95 of what changed since 50 commits ago") { backend in
            let before = try await backend.state(of: .email, in: account(0))
            for number in 0..<50 {
                let update = EmailUpdate(
                    GeneratedMessage.id(size - 1 - number), in: account(0), addKeywords: [Keyword("bench")])
                _ = try await backend.commit(ChangeSet([.updateEmail(update)]))
            }
            return try await p95(over: 0..<60) { _ in
                _ = try await backend.changes(of: .email, in: account(0), since: before, limit: 500)
            }
        }
    }

    private static let usage = StoreMeasure(name: "usage", what: "p95 of how much room everything takes") {
        backend in
        guard let care = backend.parts.care else { throw BenchError(description: "The store has no care.") }
        return try await p95(over: 0..<50) { _ in _ = try await care.usage() }
    }

    private static func nearest(size: Int) -> StoreMeasure {
        let count = min(size, 5_000)
        return StoreMeasure(name: "nearest", what: "p95 of the 20 nearest of \(count) vectors of 384 numbers")
        {
            backend in
            guard let insights = backend.parts.insights else {
                throw BenchError(description: "The store keeps no insights.")
            }
            var random = SeededRandom(3)
            func vector() -> [Float] { (0..<384).map { _ in Float.random(in: -1...1, using: &random) } }
            for start in stride(from: 0, to: count, by: BenchStore.batch) {
                let changes = (start..<min(count, start + BenchStore.batch)).map { number in
                    StorageChange.putInsight(
                        EmailInsight(
                            emailID: GeneratedMessage.id(number), accountID: account(0), modelID: "model",
                            category: .primary, embedding: vector()))
                }
                _ = try await backend.commit(ChangeSet(changes))
            }
            return try await p95(over: (0..<20).map { _ in vector() }) { question in
                _ = try await insights.nearestEmails(
                    to: question, by: "model", in: [account(0)], limit: 20)
            }
        }
    }
}
