import MailKernelAPI

extension MailStore {
    /// So few are read sooner by one reader.
    private static let few = 200

    /// Emails in the order of their ids, as `read.emails`. Many are read by two readers at once, which is worth it in
    /// a large action: reading its emails takes nearly as long as changing them.
    ///
    /// The two see the store at different moments: the caller must make sure that the emails did not change.
    package func manyEmails(
        _ ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [StoredEmail] {
        guard ids.count > Self.few else { return try await read.emails(ids, in: accountID) }
        let half = ids.count / 2
        async let rest = result(of: Array(ids[half...]), in: accountID)
        let first = try await read.emails(Array(ids[..<half]), in: accountID)
        return first + (try await rest.get())
    }

    private func result(
        of ids: [Id<Email>], in accountID: Id<Account>
    ) async -> Result<[StoredEmail], StorageError> {
        do throws(StorageError) {
            return .success(try await read.emails(ids, in: accountID))
        } catch {
            return .failure(error)
        }
    }
}
