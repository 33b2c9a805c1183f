import CICal
import FoundationEssentials

/// The occurrences of a series that have not ended.
struct Occurrences {
    static let most = 5
    /// Steps through a rule: daily for sixty years.
    private static let mostSteps = 22_000
    /// Of events that begin then. libical would go through a rule day by day.
    private static let years: ClosedRange<Int32> = 1970...2200
    /// From now, or from a later beginning. libical looks for hundreds of years for a rule that never applies.
    private static let mostYears: Int32 = 40

    let reader: EventReader
    let exceptions: [CalendarEvent]
    /// Nil if they are not to be listed.
    let now: Date?

    /// Nil for an event that does not repeat.
    var recurrence: Recurrence? {
        let properties = reader.properties
        let property = properties.first(ICAL_RRULE_PROPERTY)
        let dates = properties.all(ICAL_RDATE_PROPERTY).compactMap { properties.zoned($0) }
        guard var rule = property?.rule, let span = reader.span else {
            guard !dates.isEmpty, let span = reader.span else { return nil }
            let next = now.map { listed([span.start] + dates, span, $0) } ?? []
            return Recurrence(rule: "", words: "On several dates", next: next, isListed: now != nil)
        }
        let text = Self.text(of: &rule)
        guard let read = RecurrenceRule(text) else { return nil }
        let words = RecurrenceWords(rule: read, until: Self.until(rule, span.start)).text
        guard let now, read.isListable, Self.years.contains(span.start.time.year) else {
            return Recurrence(rule: text, words: words, next: [], isListed: false)
        }
        let starts = starts(of: rule, span, now) + dates
        return Recurrence(rule: text, words: words, next: listed(starts, span, now), isListed: true)
    }

    private static func text(of rule: inout icalrecurrencetype) -> String {
        guard let text = icalrecurrencetype_as_string_r(&rule) else { return "" }
        defer { icalmemory_free_buffer(text) }
        return String(cString: text)
    }

    /// The last day by the clock of the event's zone.
    private static func until(_ rule: icalrecurrencetype, _ start: ZonedTime) -> String? {
        guard icaltime_is_null_time(rule.until) == 0 else { return nil }
        var until = ZonedTime(rule.until)
        if icaltime_is_utc(rule.until) != 0, let zone = start.time.zone {
            until.time = icaltime_convert_to_zone(rule.until, zone)
        }
        return until.value.local
    }

    /// The starts by the rule that may be among the next.
    private func starts(
        of rule: icalrecurrencetype, _ span: (start: ZonedTime, end: ZonedTime), _ now: Date
    ) -> [ZonedTime] {
        guard let iterator = icalrecur_iterator_new(bounded(rule, from: span.start, now), span.start.time)
        else { return [span.start] }
        defer { icalrecur_iterator_free(iterator) }
        let length = length(span)
        let needed = Self.most + exceptions.count + reader.properties.all(ICAL_EXDATE_PROPERTY).count
        var starts: [ZonedTime] = []
        for _ in 0..<Self.mostSteps {
            let time = icalrecur_iterator_next(iterator)
            if icaltime_is_null_time(time) != 0 { break }
            var start = span.start
            start.time = time
            // The iterator forgets the zone of some.
            if !start.isDay, time.zone == nil, let zone = span.start.time.zone {
                icaltime_set_timezone(&start.time, zone)
            }
            guard start.seconds + length > now.timeIntervalSince1970 else { continue }
            starts.append(start)
            if starts.count >= needed { break }
        }
        return starts
    }

    private func bounded(
        _ rule: icalrecurrencetype, from start: ZonedTime, _ now: Date
    ) -> icalrecurrencetype {
        var today = icaltime_from_timet_with_zone(
            time_t(now.timeIntervalSince1970), 0, icaltimezone_get_utc_timezone())
        today.year = max(today.year, start.time.year) + Self.mostYears
        today.is_date = start.time.is_date
        guard icaltime_is_null_time(rule.until) != 0 || icaltime_compare(today, rule.until) < 0 else {
            return rule
        }
        var rule = rule
        rule.until = today
        return rule
    }

    private func length(_ span: (start: ZonedTime, end: ZonedTime)) -> Double {
        max(0, span.end.value.order - span.start.value.order)
    }

    /// Without those that were taken out or changed, and with what those were changed to.
    private func listed(
        _ starts: [ZonedTime], _ span: (start: ZonedTime, end: ZonedTime), _ now: Date
    ) -> [Occurrence] {
        let length = Int(length(span))
        let excluded = reader.event.excluded
        var found: [Occurrence] = []
        for start in starts {
            let value = start.value
            let isGone =
                excluded.contains { $0.isSame(as: value) || $0.isDay && value.local.hasPrefix($0.local) }
                || exceptions.contains { $0.recurrenceID?.isSame(as: value) == true }
                || found.contains { $0.start.isSame(as: value) }
            guard !isGone else { continue }
            let end =
                start.isDay
                ? start.adding(days: max(1, length / 86_400), seconds: 0)
                : start.adding(days: 0, seconds: length)
            found.append(Occurrence(start: value, end: end.value))
        }
        for event in exceptions where event.status != .cancelled {
            guard let start = event.start, let end = event.end else { continue }
            found.append(Occurrence(start: start, end: end, isException: true))
        }
        let next = found.filter { $0.end.order > now.timeIntervalSince1970 }
            .sorted { $0.start.order < $1.start.order }
        return Array(next.prefix(Self.most))
    }
}
