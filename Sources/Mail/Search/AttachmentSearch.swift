import MailKernelAPI
import Store
import Synchronization

/// Why a filter with tests of attachments was not answered.
package enum AttachmentSearchError: Error {
    case store(StorageError)
    /// A sentence for the user.
    case refused(String)
}

/// Answers filters that test attachments. A store has no index of them, so they are read from the emails that pass
/// everything else, and remembered: the attachments of an email never change.
package struct AttachmentSearch: Sendable {
    /// Each test doubles the questions for the store.
    private static let mostTests = 3
    /// More emails take too long to read.
    package static let mostEmails = 30_000
    private static let mostHits = 1_000_000

    let store: MailStore
    private let memory = AttachmentMemory()

    package init(store: MailStore) { self.store = store }

    /// All hits of the query in its order.
    package func hits(
        of query: EmailQuery, _ filter: MailFilter
    ) async throws(AttachmentSearchError) -> [EmailQueryResult.Hit] {
        let tests = filter.tests
        guard tests.count <= Self.mostTests else {
            throw .refused("A search can ask for at most \(Self.mostTests) kinds or names of attachments.")
        }
        let cases = Self.cases(filter, tests)
        let possible = EmailFilter.or(cases.values.map { $0 })
        let all = try await hits(query, cases.count == 1 ? cases.values.first : possible)
        let passed = try await passed(tests, query, among: possible)
        var members: [Set<AttachmentTest>: Set<Id<Email>>] = [:]
        if cases.count > 1 {
            for (set, filter) in cases { members[set] = Set(try await hits(query, filter).map(\.emailID)) }
        }
        let found = all.filter { hit in
            let set = passed[hit.emailID] ?? []
            return cases[set] != nil && members[set]?.contains(hit.emailID) ?? true
        }
        guard query.collapseThreads else { return found }
        var seen: Set<Id<EmailThread>> = []
        return found.filter { seen.insert($0.threadID).inserted }
    }

    /// What the store is asked, by the tests that an email passes. Combinations that never match are left out.
    private static func cases(
        _ filter: MailFilter, _ tests: [AttachmentTest]
    ) -> [Set<AttachmentTest>: EmailFilter] {
        var cases: [Set<AttachmentTest>: EmailFilter] = [:]
        for bits in 0..<(1 << tests.count) {
            let passed = Set(tests.indices.filter { bits & (1 << $0) != 0 }.map { tests[$0] })
            let filter = filter.stored(passing: passed)
            guard filter != .or([]) else { continue }
            cases[passed] = passed.isEmpty ? filter : .and([filter, .hasAttachment(true)])
        }
        return cases
    }

    private func hits(
        _ query: EmailQuery, _ filter: EmailFilter?
    ) async throws(AttachmentSearchError) -> [EmailQueryResult.Hit] {
        var asked = query
        (asked.filter, asked.window, asked.collapseThreads) = (filter, .position(0), false)
        (asked.limit, asked.calculateTotal) = (Self.mostHits, false)
        do {
            return try await store.read.queryEmails(asked).hits
        } catch {
            throw .store(error)
        }
    }

    /// The tests that each email passes; those without attachments pass none.
    private func passed(
        _ tests: [AttachmentTest], _ query: EmailQuery, among filter: EmailFilter
    ) async throws(AttachmentSearchError) -> [Id<Email>: Set<AttachmentTest>] {
        let plain = EmailQuery(in: query.accountIDs)
        let candidates = try await hits(plain, .and([.hasAttachment(true), filter]))
        guard candidates.count <= Self.mostEmails else {
            throw .refused(
                "Attachments can be searched in at most \(Self.mostEmails) messages at once. "
                    + "Add a sender, a folder or a date to the search.")
        }
        var passed: [Id<Email>: Set<AttachmentTest>] = [:]
        for hit in candidates {
            let names = try await names(of: hit)
            passed[hit.emailID] = Set(tests.filter { test in names.contains { test.passes($0) } })
        }
        return passed
    }

    private func names(
        of hit: EmailQueryResult.Hit
    ) async throws(AttachmentSearchError) -> [AttachmentName] {
        if let known = memory.names(of: hit) { return known }
        do {
            let body = try await store.read.body(of: hit.emailID, in: hit.accountID)
            let names = body.map { AttachmentName.all(of: $0) } ?? []
            memory.keep(names, of: hit)
            return names
        } catch {
            throw .store(error)
        }
    }
}

/// The attachments of emails that a search has read.
private final class AttachmentMemory: Sendable {
    private static let most = 200_000

    private struct Key: Hashable {
        var account: Id<Account>
        var email: Id<Email>
    }

    private let known = Mutex<[Key: [AttachmentName]]>([:])

    func names(of hit: EmailQueryResult.Hit) -> [AttachmentName]? {
        known.withLock { $0[Key(account: hit.accountID, email: hit.emailID)] }
    }

    func keep(_ names: [AttachmentName], of hit: EmailQueryResult.Hit) {
        known.withLock { known in
            if known.count >= Self.most { known.removeAll() }
            known[Key(account: hit.accountID, email: hit.emailID)] = names
        }
    }
}
