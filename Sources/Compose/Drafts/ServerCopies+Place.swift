import Mail
import MailKernelAPI
import Store

// The account has moved to another place, where messages have other names (`FormerPlace`).
extension ServerCopies {
    /// A version that is on its way replaces nothing at the new place: another message could have that name there.
    package func placeWasLeft(_ accountID: Id<Account>) async throws {
        for document in try await store.allDocuments(in: ServerCopy.collection, accountID: accountID) {
            let name = document.key.name
            try await turn(name, accountID) { copies in
                guard var copy = try await load(name, accountID), copy.transit != nil else { return }
                copy.transit?.replaces = nil
                copy.transit?.wasRead = false
                try await copies.store.commit([try copy.change(name, accountID)])
            }
        }
    }

    /// An earlier version that was not found at the new place yet is destroyed there when it is.
    func leaving(_ old: Id<Email>, in accountID: Id<Account>) async throws -> [StorageChange] {
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        return try await store.read.emails([old], in: accountID).map {
            try unnamed.destroyed(LostEmail($0.email), at: clock.now)
        }
    }

    /// What the service has of it may just not have been found: added beside it, it would be there twice.
    func isBeingRecognized(_ refs: [RemoteRef], in accountID: Id<Account>) async throws -> Bool {
        guard refs.current.isEmpty, !refs.isEmpty else { return false }
        return try await FormerPlace.load(accountID, from: store).map { $0.phase != .held } ?? false
    }
}
