import Care
import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Brings what was written and done on the copy, while the server did not respond, into its store. The copy forgets a
/// change once it is there. If the program is killed in between, the next start merges the rest.
struct OfflineMerge {
    /// Settings and the like, of which the last change counts.
    private static let settings: Set<String> = [
        "attachment-risk", "categoryCorrection", "notice", "preference", "recent-search", "trusted-sender",
    ]

    let store: MailStore
    let replica: Replica
    let drafts: Drafts
    let sending: DraftSending
    let actions: Actions
    let clock: any HostClock
    let log: LogOutput

    private var copy: MailStore { replica.copy }

    func run() async throws {
        let accounts = Set(try await store.read.accounts().map(\.id))
        // Those of accounts that are gone stay in the copy.
        let changes = try await copy.offlineChanges().filter { $0.accountID.map(accounts.contains) ?? true }
        guard !changes.isEmpty else { return }
        let destroyed = try await destroyedEmails(among: changes)
        var merged: [OfflineChange] = []
        for change in changes {
            do {
                try await merge(change, changes, destroyed)
                merged.append(change)
            } catch let error where error.isOfServer {
                throw error
            } catch {
                log.write(
                    .warning, "mailkernel",
                    "A change from the time without the server could not be made. \(error.logged)")
                // A text stays in the copy; an action that is impossible now stays so.
                if change.type != Draft.dataType { merged.append(change) }
            }
        }
        try await replica.settle(merged)
        try await store.commit(merged.map { .destroyDocument($0.note.key) })
    }

    private func merge(
        _ change: OfflineChange, _ all: [OfflineChange], _ destroyed: [Id<Account>: [Id<Email>]]
    ) async throws {
        guard let key = change.document else { return }
        let document = try await copy.read.document(key)
        let isMerged = try await store.read.document(change.note.key) != nil
        if Self.settings.contains(key.collection) {
            try await store.commit([document.map { .putDocument($0) } ?? .destroyDocument(key)])
        }
        guard let accountID = change.accountID else { return }
        if change.type == Draft.dataType {
            let written = Drafts.Written(
                key, in: accountID, document, before: change.before, other: Id("D" + change.token),
                isMerged: isMerged, note: .putDocument(change.note))
            try await merge(written, in: accountID, all)
        } else if change.type == MailAction.dataType, let document, !isMerged {
            try await actions.merge(
                document, before: change.before, destroyed: destroyed[accountID] ?? [], from: copy)
            try await store.commit([.putDocument(change.note)])
        }
    }

    private func merge(
        _ written: Drafts.Written, in accountID: Id<Account>, _ all: [OfflineChange]
    ) async throws {
        let sent = written.submissionID.flatMap { id in
            all.first { $0.type == .submission && $0.id == id.rawValue }
        }
        // It is on its way, or was sent: its draft must not come back.
        if let sent, try await store.read.document(sent.note.key) != nil { return }
        for id in written.files {
            guard let info = try await copy.read.blobInfo(id, in: accountID) else { continue }
            try await BlobCopy(info: info, source: copy).write(to: store)
        }
        let result = try await drafts.merge(written)
        if result == .both {
            let text = "was changed here and on another computer. Both versions are in Drafts."
            try await tell(text, written, accountID)
        }
        guard let sent else { return }
        let submission = try await copy.read.submissions([Id(sent.id)], in: accountID).first
        // A message that its service is to send at some time must not go out at once.
        if result == .saved, let submission, submission.undoStatus == .final, submission.sendState == .queued,
            !submission.isHandedOver
        {
            try await send(written, in: accountID, noting: sent)
        } else {
            try await tell("was not sent. It is in Drafts.", written, accountID)
        }
    }

    private func send(
        _ written: Drafts.Written, in accountID: Id<Account>, noting change: OfflineChange
    ) async throws {
        let reminder = try await Reminder.awaiting(Id(change.id), in: accountID, copy)
        do {
            _ = try await sending.send(
                written.id, in: accountID, isFromPage: false, isUndoable: false,
                with: [.putDocument(change.note)],
                noting: { submission in
                    guard let reminder else { return [] }
                    return [
                        try Reminder(of: submission, until: reminder.until, chosenAt: submission.queuedAt)
                            .change()
                    ]
                })
        } catch ComposeError.isBeingSent {
            // It was sent on another computer.
        } catch let error as ComposeError {
            try await tell("was not sent. \(error.sentence)", written, accountID)
        }
    }

    /// - Parameter what: follows the subject.
    private func tell(_ what: String, _ written: Drafts.Written, _ accountID: Id<Account>) async throws {
        let subject = written.subject.isEmpty ? "A draft without a subject" : "“\(written.subject)”"
        let notice = Notice(accountID: accountID, text: "\(subject) \(what)", at: clock.now)
        try await store.commit([try notice.change(id: "offline-\(written.id)")])
    }

    /// The emails that the user deleted for good: versions of drafts that were replaced are none.
    private func destroyedEmails(
        among changes: [OfflineChange]
    ) async throws -> [Id<Account>: [Id<Email>]] {
        var all: [Id<Account>: [Id<Email>]] = [:]
        for change in changes where change.type == .email {
            guard let accountID = change.accountID else { continue }
            let id = Id<Email>(change.id)
            guard try await copy.read.emails([id], in: accountID).isEmpty,
                let email = try await store.read.emails([id], in: accountID).first?.email,
                !email.keywords.contains(.draft)
            else { continue }
            all[accountID, default: []].append(id)
        }
        return all
    }
}

extension OfflineChange {
    private static let collection = "offline-merge"

    /// Is in the server's store while the copy still has the change.
    fileprivate var note: Document {
        Document(DocumentKey(Self.collection, token, accountID: accountID), value: true)
    }
}

extension Error {
    /// The server does not respond again, or the program stops.
    fileprivate var isOfServer: Bool {
        if self is CancellationError { return true }
        guard let error = self as? StorageError else { return false }
        if case .unreachable = error { return true }
        return error == .closed || error == .cancelled
    }
}
