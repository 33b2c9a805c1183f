import FoundationEssentials

/// Reads the calendar part of a message.
package enum InvitationReader {
    /// A part of more bytes is no invitation.
    package static let mostBytes = CalendarText.mostBytes

    /// - Parameters:
    ///   - bytes: the part without its transfer encoding.
    ///   - method: as the part's `Content-Type` says it; it counts if the calendar has none.
    ///   - now: occurrences that ended before are not listed; none are if it is nil.
    ///   - decode: the text of bytes in the part's charset.
    /// - Returns: nil if it is no calendar with an event that can be shown.
    package static func read(
        _ bytes: Data, method: String? = nil, now: Date?,
        decode: (Data) -> String = { String(decoding: $0, as: UTF8.self) }
    ) -> Invitation? {
        guard bytes.count <= mostBytes,
            let text = CalendarText(unfolded: decode(Unfolding.unfolded(bytes)))
        else { return nil }
        return CalendarLibrary.read(text) { calendar in
            invitation(of: calendar, isCut: text.isCut, method: method, now: now)
        }
    }

    private static func invitation(
        of calendar: CalendarRoot, isCut: Bool, method header: String?, now: Date?
    ) -> Invitation? {
        let readers = calendar.events.map { EventReader(properties: $0) }
        guard let uid = readers.first?.uid else { return nil }
        let own = readers.filter { $0.uid == uid }.map { (reader: $0, event: $0.event) }
        // The series itself; without it, the first of its occurrences that the message is about.
        let index = own.firstIndex { $0.event.recurrenceID == nil } ?? 0
        let reader = own[index].reader
        var event = own[index].event
        let exceptions = own.enumerated().filter {
            $0.offset != index && $0.element.event.recurrenceID != nil
        }
        .map(\.element.event)
        let method = Invitation.Method(calendar.method) ?? Invitation.Method(header) ?? .publish
        // An answer need not say again when the event is.
        guard event.start != nil || [.reply, .cancel, .refresh, .declineCounter].contains(method) else {
            return nil
        }
        event.recurrence = Occurrences(reader: reader, exceptions: exceptions, now: now).recurrence
        let others = Set(readers.map(\.uid)).subtracting([uid]).count
        return Invitation(
            method: method, event: event, exceptions: exceptions, otherCount: others, isCut: isCut)
    }
}

extension Invitation.Method {
    fileprivate init?(_ word: String?) {
        guard let word, let method = Self(rawValue: String(word.trimmed).lowercased()) else { return nil }
        self = method
    }
}
