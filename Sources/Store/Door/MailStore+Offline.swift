import MailKernelAPI

extension MailStore {
    /// What was changed while the server did not respond, oldest record first.
    package func offlineChanges() async throws(StorageError) -> [OfflineChange] {
        var documents = try await allDocuments(in: OfflineChange.collection)
        for account in try await read.accounts() { documents += try await offlineDocuments(in: account.id) }
        return documents.compactMap { $0.read(as: OfflineChange.self) }.sorted { $0.id < $1.id }
    }

    /// The same for one account.
    package func offlineChanges(in accountID: Id<Account>?) async throws(StorageError) -> [OfflineChange] {
        try await offlineDocuments(in: accountID).compactMap { $0.read(as: OfflineChange.self) }
    }

    private func offlineDocuments(in accountID: Id<Account>?) async throws(StorageError) -> [Document] {
        try await allDocuments(in: OfflineChange.collection, accountID: accountID)
    }
}
