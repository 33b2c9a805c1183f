import Mail
import MailKernelAPI
import Store

/// Creates the mailboxes that rules ask for.
struct MailboxMaker: Sendable {
    let store: MailStore
    let mail: MailActions

    /// - Parameter path: the names of the mailboxes above it and its own, with `/` between them.
    func make(_ path: String, in accountID: Id<Account>) async throws {
        guard try await mail.features(of: accountID).contains(.mailboxChanges) else {
            throw ActionProblem(sentence: "Folders of this account cannot be changed here.")
        }
        let names = path.split(separator: "/").map(String.init)
        guard !names.isEmpty, names.count <= 10, names.allSatisfy({ $0.utf8.count <= 200 }) else {
            throw ActionProblem(sentence: "This is not the name of a folder.")
        }
        var parent: Mailbox?
        for count in 1...names.count {
            let state = try await store.read.state(of: .mailbox, in: accountID)
            let paths = MailboxPaths(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox))
            if let found = paths[names.prefix(count).joined(separator: "/")] {
                parent = found
                continue
            }
            let mailbox = Mailbox(
                id: Id(""), accountID: accountID, name: names[count - 1], parentID: parent?.id,
                sortOrder: Mailbox.sortOrder(nil))
            parent = try await mail.createMailbox(mailbox, ifInState: state)
        }
    }
}
