import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance

@testable import SQLiteStorage

/// A folder for one test's store, removed with the object.
final class TestFolder: Sendable {
    let path: String

    init(in place: String = FileManager.default.temporaryDirectory.path) throws {
        path = place + "/sqlite-storage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/store/mail.db" }
    var storeFolder: String { path + "/store" }

    /// A store on the folder, closed, as after a start of the program.
    func store() -> SQLiteStorage {
        SQLiteStorage(HostServices.forTesting(dataFolder: URL(filePath: storeFolder)))
    }

    /// Runs `body` on the open store.
    func withStore<Answer>(_ body: (SQLiteStorage) async throws -> Answer) async throws -> Answer {
        let store = store()
        _ = try await store.open()
        do {
            let answer = try await body(store)
            await store.close()
            return answer
        } catch {
            await store.close()
            throw error
        }
    }

    func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    /// Permissions by the name of everything below the store's folder, the folder itself as ".".
    func modes() throws -> [String: mode_t] {
        var modes: [String: mode_t] = [".": try mode(storeFolder)]
        for name in try FileManager.default.subpathsOfDirectory(atPath: storeFolder) {
            modes[name] = try mode(storeFolder + "/" + name)
        }
        return modes
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw StorageError.unreadable(reason: path) }
        return status.st_mode & 0o777
    }
}

/// An account with a little mail.
enum Sample {
    static let home = Id<Account>("home")
    static let inbox = Id<Mailbox>("inbox")
    static let drafts = Id<Mailbox>("drafts")
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    static func account(_ id: Id<Account> = home) -> [StorageChange] {
        [
            .putAccount(
                Account(
                    id: id, pluginID: "test", address: "me@home.example", displayName: "Me", addedAt: start)),
            .putMailbox(Mailbox(id: inbox, accountID: id, name: "Inbox", role: .inbox)),
            .putMailbox(Mailbox(id: drafts, accountID: id, name: "Drafts", role: .drafts)),
        ]
    }

    static func email(
        _ id: String, of account: Id<Account> = home, in mailbox: Id<Mailbox> = inbox,
        keywords: Set<Keyword> = [], text: String = "Some words"
    ) -> StorageChange {
        let email = Email(
            id: Id(id), accountID: account, blobID: Id("blob-\(id)"), mailboxIDs: [mailbox],
            keywords: keywords, size: text.utf8.count, receivedAt: start,
            header: EmailHeader(messageID: ["\(id)@mail.example"], subject: "About \(id)"))
        let part = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain")
        return .putEmail(email, EmailBody(structure: part, values: ["1": EmailBodyValue(text)]))
    }

    static func submission(
        _ id: String, _ undoStatus: EmailSubmission.UndoStatus = .pending,
        _ sendState: EmailSubmission.SendState = .queued
    ) -> StorageChange {
        .putSubmission(
            EmailSubmission(
                id: Id(id), accountID: home, identityID: Id("me"), emailID: Id("draft"),
                snapshotBlobID: Id("snapshot"),
                envelope: Envelope(mailFrom: "me@home.example", rcptTo: ["you@example.org"]), sendAt: start,
                undoStatus: undoStatus, sendState: sendState, queuedAt: start))
    }
}
