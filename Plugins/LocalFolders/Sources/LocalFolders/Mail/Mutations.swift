import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    /// Applies one mutation, in its own transaction.
    func apply(_ mutation: RemoteMutation) async throws(FolderError) -> MutationOutcome {
        do throws(FolderError) {
            return try await change { writer throws(FolderError) in try writer.apply(mutation) }
        } catch {
            guard case .account(let reason) = error else { throw error }
            return .refused(reason)
        }
    }
}

extension IndexWriter {
    func apply(_ mutation: RemoteMutation) throws(FolderError) -> MutationOutcome {
        var mailbox: RemoteMailboxID?
        switch mutation {
        case .setKeywords(let addresses, let add, let remove):
            try KeywordList.check(add)
            for number in try present(addresses) { try changeKeywords(of: number, add: add, remove: remove) }
        case .add(let addresses, let target):
            try need(target)
            for number in try present(addresses) {
                try setMailboxes(try mailboxes(of: number).union([target]), of: number)
            }
        case .remove(let addresses, let source):
            for number in try present(addresses) { try takeOut(number, of: source) }
        case .move(let addresses, let source, let target):
            try need(target)
            for number in try present(addresses) {
                try setMailboxes(try mailboxes(of: number).subtracting([source]).union([target]), of: number)
            }
        case .destroy(let addresses):
            for address in addresses {
                if let number = try number(of: address) { try destroy(number) }
            }
        case .createMailbox(let name, let parent): mailbox = try createMailbox(name, below: parent)
        case .renameMailbox(let id, let name, let parent):
            try renameMailbox(id, name, below: parent)
            mailbox = id
        case .deleteMailbox(let id): try deleteMailbox(id)
        }
        return .done(newIDs: [:], mailbox: mailbox)
    }

    /// The existing messages. If another session has removed some, the others are still changed; if all are
    /// gone, it fails.
    private func present(_ addresses: [RemoteAddress]) throws(FolderError) -> [Int64] {
        var numbers: [Int64] = []
        for address in addresses {
            if let number = try number(of: address) { numbers.append(number) }
        }
        guard !numbers.isEmpty || addresses.isEmpty else { throw .account(.notFound) }
        return numbers
    }

    func need(_ mailbox: RemoteMailboxID) throws(FolderError) {
        guard try hasMailbox(mailbox) else { throw .account(.notFound) }
    }

    /// Mail that is nowhere else is kept in the archive.
    private func takeOut(_ number: Int64, of source: RemoteMailboxID) throws(FolderError) {
        var mailboxIDs = try mailboxes(of: number)
        guard mailboxIDs.remove(source) != nil else { return }
        if mailboxIDs.isEmpty {
            guard source != StandardMailbox.id(.archive) else {
                throw .account(
                    .refused(
                        "A message that is only in Archive can be moved or deleted, but not removed from it.")
                )
            }
            mailboxIDs = [StandardMailbox.id(.archive)]
        }
        try setMailboxes(mailboxIDs, of: number)
    }
}
