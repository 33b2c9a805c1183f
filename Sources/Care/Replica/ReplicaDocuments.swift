import MailKernelAPI
import Store

/// Brings the documents of a collection into the copy.
struct ReplicaDocuments {
    /// About the sync with services, which a copy takes no part in, what is merged into the store, and what is shown once.
    private static let leftOut: Set<String> = [
        "account-removal", "notification", "offline-merge", "pending-change", "rule-notice", "sync-cursor",
        "sync-epoch", "sync-request", "upload",
    ]
    static let collections = DocumentCollections.all.filter { !leftOut.contains($0) }

    let source: MailStore
    let copy: MailStore
    let collection: String
    let accountID: Id<Account>?

    private var type: DataType { .documents(collection) }

    func follow() async throws {
        let notes = ReplicaNotes(copy: copy)
        guard var state = try await notes.state(of: type, in: accountID) else { return try await fill() }
        do {
            while true {
                let changes = try await source.read.changes(
                    of: type, in: accountID, since: state, limit: 200)
                guard changes.newState != state else { return }
                try await refresh(changes.created + changes.updated + changes.destroyed)
                try await copy.commit([ReplicaNotes.reached(changes.newState, of: type, in: accountID)])
                state = changes.newState
                guard changes.hasMoreChanges else { return }
            }
        } catch StorageError.cannotCalculateChanges {
            try await fill()
        }
    }

    /// Makes the documents with these names what they are in the store. Those that could not be merged into it stay.
    func refresh(_ names: [String]) async throws {
        let kept = try await unmerged()
        for name in names where !kept.contains(name) {
            let key = DocumentKey(collection, name, accountID: accountID)
            guard let document = try await source.read.document(key) else {
                try await copy.commit([.destroyDocument(key)])
                continue
            }
            try await put([document])
        }
    }

    private func fill() async throws {
        let state = try await source.read.state(of: type, in: accountID)
        let kept = try await unmerged()
        let all = try await source.allDocuments(in: collection, accountID: accountID)
        let names = Set(all.map(\.key.name))
        let gone = try await copy.allDocuments(in: collection, accountID: accountID).map(\.key)
            .filter { !names.contains($0.name) && !kept.contains($0.name) }
        try await put(all.filter { !kept.contains($0.key.name) })
        try await copy.commit(
            gone.map { .destroyDocument($0) } + [ReplicaNotes.reached(state, of: type, in: accountID)])
    }

    private func put(_ documents: [Document]) async throws {
        guard !documents.isEmpty else { return }
        if let accountID {
            for info in try await source.blobs(of: documents, in: accountID) {
                try await BlobCopy(info: info, source: source).write(to: copy)
            }
        }
        try await copy.commit(documents.map { .putDocument($0) })
    }

    private func unmerged() async throws(StorageError) -> Set<String> {
        Set(try await copy.offlineChanges(in: accountID).filter { $0.type == type }.map(\.id))
    }
}
