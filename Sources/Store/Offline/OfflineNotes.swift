import FoundationEssentials
import MailKernelAPI

/// Adds notes on what a change set changes to it.
struct OfflineNotes {
    let read: any MailReader

    /// - Throws: `.unreachable` for changes that wait for the server.
    func adding(to set: ChangeSet) async throws(StorageError) -> ChangeSet {
        var set = set
        let hasDraft = set.changes.contains(where: \.isDraft)
        var noted: Set<DocumentKey> = []
        var owners: Set<Id<Account>?> = []
        for change in set.changes {
            if !hasDraft { try await checkMessage(change) }
            guard let place = try place(of: change) else { continue }
            let note = OfflineChange(
                type: place.type, id: place.id, accountID: place.accountID, before: nil, token: "")
            guard noted.insert(note.key).inserted else { continue }
            // Two commits at once must not both take their own record for the one before.
            if owners.insert(place.accountID).inserted {
                let state = try await read.state(of: OfflineChange.dataType, in: place.accountID)
                set.preconditions.append(.init(OfflineChange.dataType, in: place.accountID, is: state))
            }
            guard try await read.document(note.key) == nil else { continue }
            set.changes.append(.putDocument(try await document(of: place, note.key)))
        }
        return set
    }

    /// Only drafts are merged: other messages would be lost.
    private func checkMessage(_ change: StorageChange) async throws(StorageError) {
        if case .putSubmission(let submission) = change {
            let there = try await read.submissions([submission.id], in: submission.accountID)
            guard there.isEmpty else { return }
        } else {
            guard case .putEmail = change else { return }
        }
        throw .unreachable(reason: "only drafts can be saved and sent until it responds again")
    }

    private func document(of place: Place, _ key: DocumentKey) async throws(StorageError) -> Document {
        var before: JSONValue?
        if let document = place.document { before = try await read.document(document)?.value }
        let note = OfflineChange(
            type: place.type, id: place.id, accountID: place.accountID, before: before,
            token: "F" + UUID().uuidString)
        guard let value = try? JSONValue(encoding: note) else {
            throw .invalid(reason: "a note on an offline change could not be encoded")
        }
        return Document(key, value: value)
    }

    private struct Place {
        var type: DataType
        var id: String
        var accountID: Id<Account>?
        var document: DocumentKey?
    }

    /// The record that is changed; nil if the server counts or fetches it by itself.
    private func place(of change: StorageChange) throws(StorageError) -> Place? {
        switch change {
        case .putEmail(let email, _): Place(type: .email, id: email.id.rawValue, accountID: email.accountID)
        case .updateEmail(let update):
            Place(type: .email, id: update.id.rawValue, accountID: update.accountID)
        case .destroyEmail(let id, let account):
            Place(type: .email, id: id.rawValue, accountID: account)
        case .putInsight(let insight):
            Place(type: .email, id: insight.emailID.rawValue, accountID: insight.accountID)
        case .putSubmission(let submission):
            Place(type: .submission, id: submission.id.rawValue, accountID: submission.accountID)
        case .destroySubmission(let id, let account):
            Place(type: .submission, id: id.rawValue, accountID: account)
        case .putDocument(let document): Self.place(of: document.key)
        case .destroyDocument(let key): Self.place(of: key)
        case .putRemote, .removeRemote, .countContacts: nil
        case .putAccount, .putMailbox, .destroyMailbox, .putIdentity, .destroyIdentity:
            throw .unreachable(reason: "accounts, folders and senders can be changed when it responds again")
        }
    }

    private static func place(of key: DocumentKey) -> Place {
        Place(
            type: .documents(key.collection), id: key.name, accountID: key.accountID, document: key)
    }
}

extension StorageChange {
    fileprivate var isDraft: Bool {
        if case .putDocument(let document) = self { document.key.collection == "draft" } else { false }
    }
}
