import MailKernelAPI

extension RecordType {
    static let thread = RecordType("Thread", .mail, .stored(.thread), ["id", "emailIds"])
}

extension Method {
    /// RFC 8621, section 3.
    static let thread: [Method] = [
        .get(.thread) { context, accountID, asked async throws(MethodError) in
            guard let ids = asked.ids(of: EmailThread.self) else {
                throw MethodError(
                    "requestTooLarge", "Specify ids: there are too many threads to return all of them.")
            }
            let threads = try await context.reading { store throws(StorageError) in
                try await store.threads(ids, in: accountID)
            }
            return threads.map { thread in
                let emails = JSONValue.array(thread.emailIDs.map { .string($0.rawValue) })
                return (thread.id.rawValue, ["id": .string(thread.id.rawValue), "emailIds": emails])
            }
        },
        .changes(of: .thread),
    ]
}
