import CICal
import FoundationEssentials

/// Makes an event of its properties.
struct EventReader {
    let properties: EventProperties
    /// Years of days, and as many hours: more is no event, and takes long to count.
    private static let mostDays = 3660
    private static let mostSeconds = 3660 * 86_400

    var uid: String { String(ShownCalendarText.line(properties.text(ICAL_UID_PROPERTY)).prefix(1000)) }

    var event: CalendarEvent {
        var event = CalendarEvent(uid: uid)
        event.recurrenceID = properties.time(ICAL_RECURRENCEID_PROPERTY)?.value
        event.sequence = max(0, properties.first(ICAL_SEQUENCE_PROPERTY)?.number ?? 0)
        event.stamp = properties.time(ICAL_DTSTAMP_PROPERTY)?.value.date
        event.status = properties.first(ICAL_STATUS_PROPERTY)?.string
            .flatMap { CalendarEvent.Status(rawValue: $0.lowercased()) }
        event.title = ShownCalendarText.line(properties.text(ICAL_SUMMARY_PROPERTY))
        event.place = properties.text(ICAL_LOCATION_PROPERTY)
        event.notes = properties.text(ICAL_DESCRIPTION_PROPERTY)
        event.comment = properties.text(ICAL_COMMENT_PROPERTY)
        event.organizer = properties.first(ICAL_ORGANIZER_PROPERTY).flatMap { CalendarPerson($0) }
        event.attendees = properties.all(ICAL_ATTENDEE_PROPERTY).compactMap { Attendee($0) }
        if let span {
            event.start = span.start.value
            event.end = span.end.value
        }
        event.excluded = properties.all(ICAL_EXDATE_PROPERTY).compactMap { properties.zoned($0)?.value }
        return event
    }

    /// When it is.
    var span: (start: ZonedTime, end: ZonedTime)? {
        guard let start = properties.time(ICAL_DTSTART_PROPERTY) else { return nil }
        let end = end(from: start)
        // Nothing ends before it begins.
        return (start, end.value.order < start.value.order ? start : end)
    }

    private func end(from start: ZonedTime) -> ZonedTime {
        if var end = properties.time(ICAL_DTEND_PROPERTY) {
            guard start.isDay else { return end.isDay ? start : end }
            end.time.is_date = 1
            (end.time.hour, end.time.minute, end.time.second) = (0, 0, 0)
            // A day that is said to end when it begins is that day.
            return end.value.local > start.value.local ? end : start.adding(days: 1, seconds: 0)
        }
        if let duration = properties.first(ICAL_DURATION_PROPERTY)?.duration, duration.is_neg == 0 {
            let days = Int(duration.days) + Int(duration.weeks) * 7
            let seconds = Int(duration.hours) * 3600 + Int(duration.minutes) * 60 + Int(duration.seconds)
            if days <= Self.mostDays, seconds <= Self.mostSeconds {
                // libical adds hours by the clock, too, which is wrong where the clock is changed (RFC 5545, 3.3.6).
                return start.adding(days: start.isDay ? max(1, days) : days, seconds: seconds)
            }
        }
        return start.isDay ? start.adding(days: 1, seconds: 0) : start
    }
}

extension CalendarPerson {
    init?(_ property: CalendarProperty) {
        let name = property.parameter(ICAL_CN_PARAMETER) { icalparameter_get_cn($0) }
        let email = property.parameter(ICAL_EMAIL_PARAMETER) { icalparameter_get_email($0) }
        let address = property.address.flatMap(Self.address) ?? email.flatMap(Self.address) ?? ""
        guard !address.isEmpty || name != nil else { return nil }
        let shown = name.map { ShownCalendarText.line($0.trimmingQuotes) } ?? ""
        self.init(
            name: shown.isEmpty || shown.lowercased() == address.lowercased()
                ? nil : String(shown.prefix(300)),
            email: address)
    }

    /// The address behind `mailto:`; some programs leave that out.
    static func address(_ text: String) -> String? {
        var text = text.trimmed
        if text.lowercased().hasPrefix("mailto:") { text = text.dropFirst("mailto:".count).trimmed }
        let isAddress =
            text.utf8.count <= 320 && text.contains("@") && !text.contains(":")
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && $0 != "<" && $0 != ">"
            }
        return isAddress ? String(text) : nil
    }
}

extension Attendee {
    init?(_ property: CalendarProperty) {
        guard let person = CalendarPerson(property) else { return nil }
        self.init(person: person, participation: Self.participation(property))
        let role = property.parameter(ICAL_ROLE_PARAMETER).map { icalparameter_get_role($0) }
        isOptional = role == ICAL_ROLE_OPTPARTICIPANT || role == ICAL_ROLE_NONPARTICIPANT
        let kind = property.parameter(ICAL_CUTYPE_PARAMETER).map { icalparameter_get_cutype($0) }
        isResource = kind == ICAL_CUTYPE_ROOM || kind == ICAL_CUTYPE_RESOURCE
        delegatedTo = property.parameter(ICAL_DELEGATEDTO_PARAMETER) { icalparameter_get_delegatedto($0) }
            .flatMap { CalendarPerson.address($0.trimmingQuotes) }
        delegatedFrom = property.parameter(ICAL_DELEGATEDFROM_PARAMETER) {
            icalparameter_get_delegatedfrom($0)
        }
        .flatMap { CalendarPerson.address($0.trimmingQuotes) }
    }

    private static func participation(_ property: CalendarProperty) -> Participation {
        switch property.parameter(ICAL_PARTSTAT_PARAMETER).map({ icalparameter_get_partstat($0) }) {
        case ICAL_PARTSTAT_ACCEPTED: .accepted
        case ICAL_PARTSTAT_DECLINED: .declined
        case ICAL_PARTSTAT_TENTATIVE: .tentative
        case ICAL_PARTSTAT_DELEGATED: .delegated
        default: .needsAction
        }
    }
}

extension String {
    fileprivate var trimmingQuotes: String {
        var text = trimmed
        while text.first == "\"" || text.first == "'" { text.removeFirst() }
        while text.last == "\"" || text.last == "'" { text.removeLast() }
        return String(text)
    }
}
