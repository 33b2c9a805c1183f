import CICal

/// Finds the zones that a calendar names: as it describes them, or as the system knows them.
final class ZoneNames {
    /// An event needs few, and each of the system's is a file to read.
    private static let most = 10

    private let calendar: OpaquePointer
    private var known: [String: (zone: OpaquePointer, name: String?)?] = [:]

    init(calendar: OpaquePointer) {
        self.calendar = calendar
    }

    /// - Returns: the zone and its name in the tz database; nil for a zone that is nowhere described.
    func zone(_ id: String) -> (zone: OpaquePointer, name: String?)? {
        if let known = known[id] { return known }
        guard known.count < Self.most else { return nil }
        let name = Self.name(of: id)
        var found: (zone: OpaquePointer, name: String?)?
        if let described = icalcomponent_get_timezone(calendar, id) {
            let place = icaltimezone_get_location(described).map { String(cString: $0) }
            found = (described, name ?? place.flatMap(Self.name))
        } else if let name, let zone = icaltimezone_get_builtin_timezone(name) {
            found = (zone, name)
        }
        known[id] = .some(found)
        return found
    }

    /// The name in the tz database: the id itself, its end (some programs put their own name before it), or the
    /// translation of what Windows calls it.
    private static func name(of id: String) -> String? {
        let words = id.split(separator: "/")
        for count in [words.count, 3, 2, 1] where count > 0 && count <= words.count {
            let end = words.suffix(count).joined(separator: "/")
            if icaltimezone_get_builtin_timezone(end) != nil { return end }
        }
        return windowsName(id)
    }

    private static func windowsName(_ id: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, cical_zone_of_windows(id, start, 128) > 0 else {
                return nil
            }
            return String(cString: start)
        }
    }
}
