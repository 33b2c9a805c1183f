import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Whom an account has mail from or to.
struct ContactBook: Sendable {
    static let limit = 10_000

    struct Entry {
        var contact: Contact
        /// When the name was seen, which may be before the address was seen last.
        var nameSeenAt = Date.distantPast
    }

    private(set) var entries: [String: Entry] = [:]

    mutating func count(_ sightings: [ContactSighting]) {
        for sighting in sightings where !sighting.address.email.isEmpty {
            count(sighting)
        }
        evict()
    }

    private mutating func count(_ sighting: ContactSighting) {
        let email = sighting.address.email.lowercased()
        let unknown = Contact(email: email, name: nil, frequency: 0, lastSeenAt: sighting.seenAt)
        var entry = entries[email] ?? Entry(contact: unknown)
        entry.contact.frequency += 1
        entry.contact.lastSeenAt = max(entry.contact.lastSeenAt, sighting.seenAt)
        if let name = sighting.address.name, !name.isEmpty, sighting.seenAt >= entry.nameSeenAt {
            entry.contact.name = name
            entry.nameSeenAt = sighting.seenAt
        }
        entries[email] = entry
    }

    private mutating func evict() {
        let surplus = entries.count - Self.limit
        guard surplus > 0 else { return }
        let leastUsed = entries.values.map(\.contact).sorted { one, other in
            (one.frequency, one.lastSeenAt, one.email) < (other.frequency, other.lastSeenAt, other.email)
        }
        for contact in leastUsed.prefix(surplus) { entries[contact.email] = nil }
    }

    /// The contacts of several accounts as one list, best first: the highest count of an address,
    /// the name and the time seen last.
    static func merge(_ books: [ContactBook], matching text: String, limit: Int) -> [Contact] {
        var merged: [String: Entry] = [:]
        for entry in books.lazy.flatMap(\.entries.values) {
            let email = entry.contact.email
            merged[email] = merged[email].map { merge($0, entry) } ?? entry
        }
        let needle = TextFolding.fold(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        let hits = merged.values.map(\.contact).filter { matches($0, needle) }
        let best = hits.sorted { one, other in
            (other.frequency, other.lastSeenAt, one.email) < (one.frequency, one.lastSeenAt, other.email)
        }
        return Array(best.prefix(max(0, limit)))
    }

    private static func merge(_ one: Entry, _ other: Entry) -> Entry {
        var merged = one.nameSeenAt >= other.nameSeenAt ? one : other
        merged.contact.frequency = max(one.contact.frequency, other.contact.frequency)
        merged.contact.lastSeenAt = max(one.contact.lastSeenAt, other.contact.lastSeenAt)
        return merged
    }

    private static func matches(_ contact: Contact, _ needle: String) -> Bool {
        let email = TextFolding.fold(contact.email)
        return email.contains(needle) || TextFolding.hasWord(beginningWith: needle, in: contact.name ?? "")
    }
}
