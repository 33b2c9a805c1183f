public import FoundationEssentials
public import MailKernelAPI

/// All the times that an address was seen in one change.
public struct SeenContact: Sendable {
    /// How often it was seen.
    public private(set) var count = 0
    /// When it was seen last.
    public private(set) var lastSeen = Date.distantPast
    /// The name seen last; nil if there was none.
    public private(set) var name: String?
    /// When that name was seen.
    public private(set) var nameSeen: Date?

    /// By address, in lower case.
    public static func all(in sightings: [ContactSighting]) -> [String: SeenContact] {
        var contacts: [String: SeenContact] = [:]
        for sighting in sightings where !sighting.address.email.isEmpty {
            contacts[sighting.address.email.lowercased(), default: SeenContact()].add(sighting)
        }
        return contacts
    }

    private mutating func add(_ sighting: ContactSighting) {
        count += 1
        lastSeen = max(lastSeen, sighting.seenAt)
        guard let name = sighting.address.name, !name.isEmpty, sighting.seenAt >= nameSeen ?? .distantPast
        else { return }
        (self.name, nameSeen) = (name, sighting.seenAt)
    }
}
