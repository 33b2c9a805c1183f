import FoundationEssentials
import MailKernelAPI
import Store

/// Divides the contacts among accounts. A store keeps them by account and reports them of all together, so they go with
/// the accounts whose mail names them.
struct ContactDivision {
    /// A store keeps no more of one account.
    static let most = 10_000

    private var owners: [String: [Id<Account>]] = [:]
    private var counts: [Id<Account>: Int] = [:]

    init(_ contacts: [Contact], among accounts: [Id<Account>], of store: MailStore) async throws {
        guard accounts.count > 1 else {
            for contact in contacts { owners[contact.email] = accounts }
            return
        }
        let known = Set(contacts.map(\.email))
        var named: [(id: Id<Account>, addresses: Set<String>)] = []
        for id in accounts { named.append((id, try await Self.addresses(in: id, of: store, among: known))) }
        // Each one has a place before any has two.
        for contact in contacts {
            let naming = named.filter { $0.addresses.contains(contact.email) }.map(\.id)
            if let first = (naming + accounts).first(where: hasRoom) { add(contact, to: first) }
        }
        for contact in contacts {
            for (id, addresses) in named
            where addresses.contains(contact.email) && owners[contact.email]?.contains(id) != true {
                if hasRoom(id) { add(contact, to: id) }
            }
        }
    }

    private func hasRoom(_ id: Id<Account>) -> Bool { counts[id, default: 0] < Self.most }

    private mutating func add(_ contact: Contact, to id: Id<Account>) {
        owners[contact.email, default: []].append(id)
        counts[id, default: 0] += 1
    }

    /// Makes these contacts as frequent as they were.
    func changes(for contacts: [Contact]) -> [StorageChange] {
        var sightings: [Id<Account>: [ContactSighting]] = [:]
        for contact in contacts {
            let sighting = ContactSighting(
                address: EmailAddress(name: contact.name, email: contact.email), seenAt: contact.lastSeenAt)
            for id in owners[contact.email] ?? [] {
                sightings[id, default: []] += Array(repeating: sighting, count: contact.frequency)
            }
        }
        return sightings.map { .countContacts($0.value, in: $0.key) }
    }

    private static func addresses(
        in id: Id<Account>, of store: MailStore, among known: Set<String>
    ) async throws -> Set<String> {
        let reader = EmailReader(store: store, accountID: id)
        var found: Set<String> = []
        var page = try await reader.page(after: nil)
        while let last = page.last {
            for header in page.map(\.email.header) {
                let all = [header.from, header.to, header.cc, header.bcc, header.sender, header.replyTo]
                found.formUnion(all.joined().map { $0.email.lowercased() }.filter(known.contains))
            }
            page = try await reader.page(after: last.email.id.rawValue)
        }
        return found
    }
}
