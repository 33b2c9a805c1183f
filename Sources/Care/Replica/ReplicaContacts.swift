import MailKernelAPI
import Store

/// Makes the contacts of the copy as frequent as those of the store, which lists no changes of them.
struct ReplicaContacts {
    private static let most = 10_000
    private static let portion = 200

    let source: MailStore
    let copy: MailStore

    /// - Parameter accountID: the one that gets them. A store reports the contacts of all accounts together.
    func follow(in accountID: Id<Account>) async throws {
        let there = Dictionary(
            try await contacts(of: copy).map { ($0.email, $0.frequency) }, uniquingKeysWith: max)
        let more = try await contacts(of: source).compactMap { contact -> (Contact, Int)? in
            let missing = contact.frequency - there[contact.email, default: 0]
            return missing > 0 ? (contact, missing) : nil
        }
        for slice in more.slices(of: Self.portion) {
            try Task.checkCancellation()
            let sightings = slice.flatMap { contact, count in
                let sighting = ContactSighting(
                    address: EmailAddress(name: contact.name, email: contact.email),
                    seenAt: contact.lastSeenAt)
                return Array(repeating: sighting, count: count)
            }
            try await copy.commit([.countContacts(sightings, in: accountID)])
        }
    }

    private func contacts(of store: MailStore) async throws(StorageError) -> [Contact] {
        try await store.read.contacts(matching: "", limit: Self.most)
    }
}
