import CICal
import FoundationEssentials

/// The properties of an event, as Swift values.
struct EventProperties {
    let component: OpaquePointer
    let zones: ZoneNames

    func first(_ kind: icalproperty_kind) -> CalendarProperty? {
        icalcomponent_get_first_property(component, kind).map { CalendarProperty($0) }
    }

    func all(_ kind: icalproperty_kind) -> [CalendarProperty] {
        var all: [CalendarProperty] = []
        var next = icalcomponent_get_first_property(component, kind)
        while let property = next {
            all.append(CalendarProperty(property))
            next = icalcomponent_get_next_property(component, kind)
        }
        return all
    }

    /// A text without characters that cannot be seen.
    func text(_ kind: icalproperty_kind) -> String {
        ShownCalendarText.clean(first(kind)?.text ?? "")
    }

    /// A time in its zone.
    func zoned(_ property: CalendarProperty) -> ZonedTime? {
        guard var time = property.time else { return nil }
        let id = property.parameter(ICAL_TZID_PARAMETER) { icalparameter_get_tzid($0) }
        guard time.is_date == 0, icaltime_is_utc(time) == 0, let id else { return ZonedTime(time) }
        let zone = zones.zone(id)
        if let zone { icaltime_set_timezone(&time, zone.zone) }
        return ZonedTime(time, zone: zone?.name, zoneName: id)
    }

    func time(_ kind: icalproperty_kind) -> ZonedTime? { first(kind).flatMap(zoned) }
}

/// Texts of a calendar as they may be shown.
enum ShownCalendarText {
    static func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { !turnsText($0) }.map { scalar in
            scalar != "\n" && scalar.properties.generalCategory == .control ? " " : scalar
        }
        return String(String(String.UnicodeScalarView(scalars)).trimmed)
    }

    /// What turns the direction of the text after it: a title would be shown as another, here and where an answer goes.
    private static func turnsText(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    static func line(_ text: String) -> String {
        clean(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// A time of libical's, with what its zone is called.
struct ZonedTime {
    var time: icaltimetype
    var zone: String?
    var zoneName: String?

    init(_ time: icaltimetype, zone: String? = nil, zoneName: String? = nil) {
        (self.time, self.zone, self.zoneName) = (time, zone, zoneName)
    }

    var isDay: Bool { time.is_date != 0 }

    var value: CalendarTime {
        let day = "\(Self.digits(time.year, 4))-\(Self.digits(time.month))-\(Self.digits(time.day))"
        if isDay { return CalendarTime(local: day) }
        let clock = "\(Self.digits(time.hour)):\(Self.digits(time.minute)):\(Self.digits(time.second))"
        let seconds = time.zone.map { icaltime_as_timet_with_zone(time, $0) }
        return CalendarTime(
            local: "\(day)T\(clock)", date: seconds.map { Date(timeIntervalSince1970: Double($0)) },
            zone: zone,
            zoneName: zoneName)
    }

    /// Since 1970; of a time without zone as if it were in UTC.
    var seconds: Double {
        Double(time.zone.map { icaltime_as_timet_with_zone(time, $0) } ?? icaltime_as_timet(time))
    }

    private static func digits(_ number: Int32, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// The time after so many days by the clock, and then so many seconds of time that passes.
    func adding(days: Int, seconds: Int) -> ZonedTime {
        var later = self
        icaltime_adjust(&later.time, Int32(days), 0, 0, 0)
        guard seconds != 0, !isDay else { return later }
        guard let zone = time.zone else {
            icaltime_adjust(&later.time, 0, 0, 0, Int32(seconds))
            return later
        }
        let utc = icaltimezone_get_utc_timezone()
        var moment = icaltime_convert_to_zone(later.time, utc)
        icaltime_adjust(&moment, 0, 0, 0, Int32(seconds))
        later.time = icaltime_convert_to_zone(moment, zone)
        return later
    }
}
