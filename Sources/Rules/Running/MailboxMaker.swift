import Mail
import MailKernelAPI
import Store

/// Creates the mailboxes that rules ask for.
struct MailboxMaker: Sendable {
    private static let deepest = 10
    private static let longest = 200

    let store: MailStore
    let mail: MailActions

    /// Creates a mailbox with those above it, unless it is there.
    ///
    /// - Parameter path: the names of the mailboxes above it and its own, with `/` between them.
    /// - Returns: why that will never be possible; nil if it is there now.
    /// - Throws: if it may be possible later.
    func reasonNotToMake(_ path: String, in accountID: Id<Account>) async throws -> String? {
        guard try await mail.features(of: accountID).contains(.mailboxChanges) else {
            return "Folders of this account cannot be changed here."
        }
        let names = MailboxPaths.names(in: path)
        let isSound = names.allSatisfy { MailboxName.isSound($0) && $0.utf8.count <= Self.longest }
        guard (1...Self.deepest).contains(names.count), isSound else {
            return "This is not the name of a folder."
        }
        do {
            var parent: Mailbox?
            for count in 1...names.count {
                parent = try await mailbox(names.prefix(count), below: parent, in: accountID)
            }
            return nil
        } catch let error as StorageError {
            if case .invalid = error { return error.sentence }
            if case .unsupported = error { return error.sentence }
            throw error
        }
    }

    private func mailbox(
        _ path: ArraySlice<String>, below parent: Mailbox?, in accountID: Id<Account>
    ) async throws -> Mailbox {
        while true {
            try Task.checkCancellation()
            let state = try await store.read.state(of: .mailbox, in: accountID)
            let paths = MailboxPaths(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox))
            if let found = paths[path.joined(separator: "/")] { return found }
            let mailbox = Mailbox(
                id: Id(""), accountID: accountID, name: path.last ?? "", parentID: parent?.id,
                sortOrder: Mailbox.sortOrder(nil))
            do {
                return try await mail.createMailbox(mailbox, ifInState: state)
            } catch StorageError.stateMismatch {
                // Mailboxes changed meanwhile, or mail in them.
            }
        }
    }
}
