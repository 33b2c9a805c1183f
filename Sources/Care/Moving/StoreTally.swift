import FoundationEssentials
import MailKernelAPI
import Store

/// What a store holds, counted and digested by kind and account.
struct StoreTally: Sendable {
    struct Place: Sendable, Hashable {
        var kind: MovedRecord.Kind
        var accountID: Id<Account>?
    }

    private struct BlobPlace: Hashable {
        var accountID: Id<Account>
        var id: Id<Blob>
    }

    private(set) var tallies: [Place: RecordTally] = [:]
    private(set) var threads: [Id<Account>: Int] = [:]
    /// Several records can name one blob.
    private var seen: Set<BlobPlace> = []

    /// Reads a whole store.
    ///
    /// - Parameter report: called with the number of emails that were read since the last call.
    init(of store: MailStore, readsInsights: Bool, report: @Sendable (Int) -> Void) async throws {
        let accounts = try await store.read.accounts()
        let reader = RecordReader(store: store, readsInsights: readsInsights)
        for task in MoveTask.all(of: accounts) {
            var portion = RecordPortion()
            repeat {
                try Task.checkCancellation()
                portion = try await reader.portion(of: task, after: portion.next)
                try await add(portion.records, of: store)
                report(portion.records.count { $0.kind == .emails })
            } while portion.next != nil
        }
        for id in accounts.map(\.id) {
            threads[id] = try await store.count(EmailQuery(in: [id], collapseThreads: true))
        }
    }

    private mutating func add(_ records: [MovedRecord], of store: MailStore) async throws {
        let digests = try await records.inParallel { record -> Data? in
            if case .blob = record { nil } else { try record.digest() }
        }
        for (record, digest) in zip(records, digests) {
            var digest = digest
            if case .blob(let info) = record {
                guard seen.insert(BlobPlace(accountID: info.accountID, id: info.id)).inserted else {
                    continue
                }
                digest = try record.digest(bytes: try await BlobCopy(info: info, source: store).digest())
            }
            let place = Place(kind: record.kind, accountID: record.accountID)
            if let digest { tallies[place, default: RecordTally()].add(digest) }
        }
    }
}

extension MailStore {
    /// How many emails a query finds.
    func count(_ query: EmailQuery) async throws -> Int {
        var query = query
        query.limit = 0
        query.calculateTotal = true
        return try await read.queryEmails(query).total ?? 0
    }
}
