/// What a later version of an event changed.
package enum InvitationChange: String, Codable, Sendable, CaseIterable {
    case time, recurrence, place, title, notes, guests

    /// - Returns: what differs, in the order in which it is shown.
    package static func between(_ old: Invitation, _ new: Invitation) -> [InvitationChange] {
        let (before, after) = (old.event, new.event)
        return allCases.filter { change in
            switch change {
            case .time: !isSame(before.start, after.start) || !isSame(before.end, after.end)
            case .recurrence:
                before.recurrence?.rule != after.recurrence?.rule
                    || Set(before.excluded.map(\.order)) != Set(after.excluded.map(\.order))
                    || !isSame(old.exceptions, new.exceptions)
            case .place: before.place != after.place
            case .title: before.title != after.title
            case .notes: before.notes != after.notes
            case .guests: guests(before) != guests(after)
            }
        }
    }

    private static func isSame(_ old: CalendarTime?, _ new: CalendarTime?) -> Bool {
        guard let old, let new else { return (old == nil) == (new == nil) }
        return old.isSame(as: new)
    }

    /// Whether the same occurrences are changed in the same way.
    private static func isSame(_ old: [CalendarEvent], _ new: [CalendarEvent]) -> Bool {
        func form(_ events: [CalendarEvent]) -> Set<[Double]> {
            Set(
                events.map { event in
                    [event.recurrenceID?.order ?? 0, event.start?.order ?? 0, event.end?.order ?? 0]
                })
        }
        return form(old) == form(new)
    }

    private static func guests(_ event: CalendarEvent) -> Set<String> {
        Set(event.attendees.map { $0.person.email.lowercased() })
    }
}
