import CrashingProgram
import FoundationEssentials
import MailKernelAPI
import PostgreSQLStorage

/// `postgresql-storage-writer CONNECTION NAME FOLDER`: commits numbered emails until it is killed, and prints each number
/// once its commit has returned, or the error. Others may write to the same account meanwhile.
///
/// With the connections of two further servers, it writes nothing, and moves accounts.
@main struct Writer {
    private static let account = Id<Account>("home")

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 6 { return try await move(arguments) }
        guard arguments.count == 4 else { return }
        let store = try sharedStore(CrashingProgram.host(in: arguments[3]), connection: arguments[1])
        while true {
            do {
                _ = try await store.open()
                try await write(store, as: arguments[2])
            } catch {
                CrashingProgram.say("\(error)")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func move(_ arguments: [String]) async throws {
        let store = try sharedStore(
            CrashingProgram.host(in: arguments[3]), connection: arguments[1],
            further: ["two": arguments[4], "three": arguments[5]])
        _ = try await store.open()
        CrashingProgram.say("open")
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    /// The document has the last number. Its state is a condition, because the server may still be busy with a commit of a
    /// writer that was killed.
    private static func write(_ store: any StorageBackend, as name: String) async throws {
        let key = DocumentKey("writer-\(name)", "number", accountID: account)
        let type = DataType.documents(key.collection)
        while true {
            let state = try await store.state(of: type, in: account)
            let number = (try await store.document(key)?.value.intValue ?? 0) + 1
            _ = try await store.commit(
                ChangeSet(
                    [
                        .putDocument(Document(key, value: JSONValue.number(Double(number)))),
                        email("\(name)-\(number)"),
                        .countContacts([sighting(of: name)], in: account),
                    ], preconditions: [.init(type, in: account, is: state)]))
            CrashingProgram.say("\(number)")
        }
    }

    private static func email(_ id: String) -> StorageChange {
        let email = Email(
            id: Id(id), accountID: account, blobID: Id("blob-\(id)"), mailboxIDs: [Id("inbox")], size: 5,
            receivedAt: Date(timeIntervalSince1970: 1_700_000_000), header: EmailHeader(messageID: [id]))
        let part = EmailBodyPart(partID: "1", size: 5, type: "text/plain")
        return .putEmail(email, EmailBody(structure: part, values: ["1": EmailBodyValue("Hello")]))
    }

    /// Counted once for each commit that was applied.
    private static func sighting(of name: String) -> ContactSighting {
        ContactSighting(
            address: EmailAddress(email: "\(name)@example.org"), seenAt: Date(timeIntervalSince1970: 0))
    }
}
