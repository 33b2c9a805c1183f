import MailKernelAPI
import Store

/// Brings the accounts of a store into the copy, with their mailboxes and identities.
struct ReplicaAccounts {
    let source: MailStore
    let copy: MailStore
    let log: LogOutput

    /// - Returns: the accounts that both have now.
    func follow() async throws -> [Id<Account>] {
        let accounts = try await source.read.accounts()
        let there = try await copy.read.accounts()
        let changed = accounts.filter { !there.contains($0) }
        if !changed.isEmpty { try await copy.commit(changed.map { .putAccount($0) }) }
        for id in there.map(\.id) where !accounts.contains(where: { $0.id == id }) {
            let drafts = try await copy.offlineChanges(in: id).filter { $0.document?.collection == "draft" }
            guard drafts.isEmpty else {
                log.write(
                    .warning, "mailkernel",
                    "An account was removed that has drafts from a time without the server. They stay in the copy on "
                        + "this computer.")
                continue
            }
            try await copy.removeAccount(id)
        }
        return accounts.map(\.id)
    }

    /// Mailboxes that are gone stay until the emails in them have their new ones.
    ///
    /// - Returns: those, children first.
    func followMailboxes(of id: Id<Account>) async throws -> [Id<Mailbox>] {
        let wanted = RecordReader.parentsFirst(try await source.read.mailboxes(nil, in: id)).map(\.mailbox)
        let there = RecordReader.parentsFirst(try await copy.read.mailboxes(nil, in: id)).map(\.mailbox)
        let changed = wanted.filter { !there.contains($0) }
        if !changed.isEmpty { try await copy.commit(changed.map { .putMailbox($0) }) }
        let names = Set(wanted.map(\.id))
        return there.map(\.id).filter { !names.contains($0) }.reversed()
    }

    func followIdentities(of id: Id<Account>) async throws {
        let wanted = try await source.read.identities(nil, in: id)
        let there = try await copy.read.identities(nil, in: id)
        let names = Set(wanted.map(\.id))
        let changes =
            wanted.filter { !there.contains($0) }.map { StorageChange.putIdentity($0) }
            + there.filter { !names.contains($0.id) }.map { .destroyIdentity($0.id, in: id) }
        if !changes.isEmpty { try await copy.commit(changes) }
    }
}
