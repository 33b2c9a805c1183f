import CICal
import FoundationEssentials
import Synchronization

/// libical, one caller at a time: its settings and its list of zones belong to the whole process.
enum CalendarLibrary {
    private static let isReady = Mutex(false)

    /// Parses a calendar and hands out its root, which is gone afterwards.
    static func read<Value: Sendable>(_ text: CalendarText, _ use: (CalendarRoot) -> Value?) -> Value? {
        isReady.withLock { isReady in
            if !isReady {
                // A mistake in a message that was received would end the program.
                icalerror_set_errors_are_fatal(0)
                ical_set_unknown_token_handling_setting(ICAL_DISCARD_TOKEN)
                isReady = true
            }
            guard let parsed = icalparser_parse_string(text.text) else { return nil }
            defer { icalcomponent_free(parsed) }
            guard icalcomponent_isa(parsed) == ICAL_VCALENDAR_COMPONENT else { return nil }
            return use(CalendarRoot(parsed))
        }
    }
}

/// A parsed calendar, while it is there.
struct CalendarRoot {
    let component: OpaquePointer
    let zones: ZoneNames

    init(_ component: OpaquePointer) {
        self.component = component
        zones = ZoneNames(calendar: component)
    }

    var events: [EventProperties] {
        var events: [EventProperties] = []
        var next = icalcomponent_get_first_component(component, ICAL_VEVENT_COMPONENT)
        while let event = next {
            events.append(EventProperties(component: event, zones: zones))
            next = icalcomponent_get_next_component(component, ICAL_VEVENT_COMPONENT)
        }
        return events
    }

    /// `METHOD`, in lower case.
    var method: String? {
        EventProperties(component: component, zones: zones).first(ICAL_METHOD_PROPERTY)?.string?.lowercased()
    }
}

/// A property of a calendar. Each value is asked for its kind first: a sender can say `VALUE=DATE` of a text, and
/// libical then takes a number for the place of a string.
struct CalendarProperty {
    let pointer: OpaquePointer
    private let value: OpaquePointer?
    private let kind: icalvalue_kind

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        value = icalproperty_get_value(pointer)
        kind = value.map { icalvalue_isa($0) } ?? ICAL_NO_VALUE
    }

    var text: String? {
        kind == ICAL_TEXT_VALUE ? icalvalue_get_text(value).map { String(cString: $0) } : nil
    }

    var address: String? {
        kind == ICAL_CALADDRESS_VALUE ? icalvalue_get_caladdress(value).map { String(cString: $0) } : nil
    }

    var number: Int? { kind == ICAL_INTEGER_VALUE ? Int(icalvalue_get_integer(value)) : nil }

    var duration: icaldurationtype? { kind == ICAL_DURATION_VALUE ? icalvalue_get_duration(value) : nil }

    var rule: icalrecurrencetype? { kind == ICAL_RECUR_VALUE ? icalvalue_get_recur(value) : nil }

    /// The value as it is written, for words of a fixed set.
    var string: String? {
        guard let string = icalproperty_get_value_as_string_r(pointer) else { return nil }
        defer { icalmemory_free_buffer(string) }
        return String(cString: string)
    }

    /// Without its zone, unless it is in UTC.
    var time: icaltimetype? {
        switch kind {
        case ICAL_DATE_VALUE, ICAL_DATETIME_VALUE, ICAL_DATETIMEDATE_VALUE:
            return icalvalue_get_datetime(value).checked
        case ICAL_DATETIMEPERIOD_VALUE, ICAL_PERIOD_VALUE:
            let either = icalvalue_get_datetimeperiod(value)
            let isPeriod = icaltime_is_null_time(either.time) != 0
            return (isPeriod ? either.period.start : either.time).checked
        default: return nil
        }
    }

    func parameter(_ kind: icalparameter_kind) -> OpaquePointer? {
        icalproperty_get_first_parameter(pointer, kind)
    }

    /// A parameter's text.
    func parameter(
        _ kind: icalparameter_kind, _ read: (OpaquePointer?) -> UnsafePointer<CChar>?
    ) -> String? {
        guard let parameter = parameter(kind), let text = read(parameter) else { return nil }
        return String(cString: text)
    }
}

extension icaltimetype {
    /// Nil if no calendar has such a time.
    fileprivate var checked: icaltimetype? {
        let isTime =
            (1...9998).contains(year) && (1...12).contains(month) && (1...31).contains(day)
            && (is_date != 0
                || (0...24).contains(hour) && (0...59).contains(minute) && (0...60).contains(second))
        return isTime ? icaltime_normalize(self) : nil
    }
}
