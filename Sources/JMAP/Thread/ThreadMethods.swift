import MailKernelAPI

extension Method {
    /// RFC 8621, section 3.
    static let thread = [
        Method("Thread/get", .mail) { context, arguments async throws(MethodError) in
            let account = try await context.account(&arguments)
            let asked = try GetArguments(&arguments, context, properties: RecordType.thread.properties)
            try arguments.finish()
            guard let ids = asked.ids else {
                throw MethodError(
                    "requestTooLarge", "Specify ids: there are too many threads to return all of them.")
            }
            let state = try await context.state(of: .thread, in: account.id)
            let threads = try await context.reading { store throws(StorageError) in
                try await store.threads(ids.map { Id($0) }, in: account.id)
            }
            return try asked.answer(
                in: account.id, state: state.rawValue,
                threads.map { thread in
                    let emails = JSONValue.array(thread.emailIDs.map { .string($0.rawValue) })
                    return (thread.id.rawValue, ["id": .string(thread.id.rawValue), "emailIds": emails])
                })
        },
        Method("Thread/changes", .mail) { context, arguments async throws(MethodError) in
            try await context.changes(of: .thread, &arguments)
        },
    ]
}
