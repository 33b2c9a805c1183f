import FoundationEssentials

/// Someone who invites or is invited.
package struct CalendarPerson: Codable, Hashable, Sendable {
    package var name: String?
    /// Empty if the calendar has no address of mail for them.
    package var email: String

    package init(name: String? = nil, email: String) {
        self.name = name
        self.email = email
    }

    package func isSame(as address: String) -> Bool {
        !email.isEmpty && email.lowercased() == address.lowercased()
    }
}

/// What an attendee has answered.
package enum Participation: String, Codable, Sendable, CaseIterable {
    case needsAction = "needs-action"
    case accepted, declined, tentative, delegated
}

package struct Attendee: Codable, Hashable, Sendable {
    package var person: CalendarPerson
    package var participation: Participation
    package var isOptional = false
    /// A room or a thing.
    package var isResource = false
    package var delegatedTo: String?
    package var delegatedFrom: String?
}

/// An event of an invitation, or one changed occurrence of it.
package struct CalendarEvent: Codable, Hashable, Sendable {
    package enum Status: String, Codable, Sendable {
        case confirmed, tentative, cancelled
    }

    package var uid: String
    /// The occurrence of a series that this replaces; nil for the event itself.
    package var recurrenceID: CalendarTime?
    package var sequence = 0
    package var stamp: Date?
    package var status: Status?
    package var title = ""
    package var place = ""
    package var notes = ""
    package var comment = ""
    /// Nil in an answer or a cancellation that does not repeat it.
    package var start: CalendarTime?
    /// After the last moment or day.
    package var end: CalendarTime?
    package var organizer: CalendarPerson?
    package var attendees: [Attendee] = []
    package var recurrence: Recurrence?
    package var excluded: [CalendarTime] = []

    init(uid: String) {
        self.uid = uid
    }

    /// Whether it is a later version than another of the same event (RFC 5546, section 2.1.5).
    package func isNewer(than other: CalendarEvent) -> Bool {
        if sequence != other.sequence { return sequence > other.sequence }
        return (stamp ?? .distantPast) > (other.stamp ?? .distantPast)
    }
}

/// How an event repeats.
package struct Recurrence: Codable, Hashable, Sendable {
    /// As the calendar has it.
    package var rule: String
    /// For a reader: “Every week on Tuesday, 6 times”.
    package var words: String
    /// The occurrences that have not ended yet, at most `Occurrences.most` of them.
    package var next: [Occurrence]
    /// The rule is of a kind whose occurrences are not listed.
    package var isListed: Bool
}

package struct Occurrence: Codable, Hashable, Sendable {
    package var start: CalendarTime
    package var end: CalendarTime
    /// It was moved or changed: it differs from the series.
    package var isException = false
}

/// A calendar as a message brings it.
package struct Invitation: Codable, Hashable, Sendable {
    /// What the message does (RFC 5546).
    package enum Method: String, Codable, Sendable, CaseIterable {
        case publish, request, reply, add, cancel, refresh, counter
        case declineCounter = "declinecounter"
    }

    package var method: Method
    /// The event that it is about, or the only occurrence of it.
    package var event: CalendarEvent
    /// Changed occurrences of the same event.
    package var exceptions: [CalendarEvent]
    /// How many other events the calendar has.
    package var otherCount: Int
    /// There was more in it than is read.
    package var isCut: Bool
}
