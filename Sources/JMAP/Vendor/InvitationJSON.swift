import Compose
import FoundationEssentials
import Invitations
import MailKernelAPI

extension InvitationView {
    /// Of longer lists so much is returned.
    private static let most = 200

    var json: [String: JSONValue] {
        let event = invitation.event
        let answers = answerJSON
        let about: [String: JSONValue] = [
            "id": .string(emailID.rawValue), "blobId": .string(blobID.rawValue),
            "method": .string(invitation.method.rawValue), "uid": .string(event.uid),
            "sequence": .number(Double(event.sequence)),
            "status": event.status.map { .string($0.rawValue) } ?? .null,
            "title": .string(event.title), "place": .string(event.place), "notes": .string(event.notes),
            "comment": .string(event.comment), "start": event.start.json, "end": event.end.json,
            "recurrenceId": event.recurrenceID.json, "recurrence": event.recurrence?.json ?? .null,
            "exceptions": .array(invitation.exceptions.prefix(Self.most).map(\.exceptionJSON)),
            "organizer": event.organizer?.json ?? .null,
            "attendees": .array(event.attendees.prefix(Self.most).map { $0.json(isMe: $0.person == me) }),
            "attendeeCount": .number(Double(event.attendees.count)),
            "otherCount": .number(Double(invitation.otherCount)), "isIncomplete": .bool(invitation.isCut),
        ]
        return about.merging(answers) { one, _ in one }
    }

    private var answerJSON: [String: JSONValue] {
        [
            "me": me?.json ?? .null, "isOrganizer": .bool(isOrganizer),
            "isSenderExpected": .bool(isFromWhoItSays), "mayAnswer": .bool(mayAnswer),
            "organizerWarning": organizerWarning.map { .string($0) } ?? .null,
            "answer": answer.map { .string($0.rawValue) } ?? .null, "note": .string(note),
            "answerState": .string(answerState.rawValue),
            "submissionId": submissionID.map { .string($0.rawValue) } ?? .null,
            "sendAt": sendAt.map { .string(JMAPDate.write($0)) } ?? .null,
            "earlierAnswer": earlierAnswer.map { .string($0.rawValue) } ?? .null,
            "changes": .array(changes.map { .string($0.rawValue) }),
            "previous": previous?.event.previousJSON ?? .null,
            "newerEmailId": newer.map { .string($0.emailID.rawValue) } ?? .null,
            "isCanceledLater": .bool(newer?.isCancellation ?? false),
        ]
    }
}

extension CalendarEvent {
    fileprivate var previousJSON: JSONValue {
        [
            "title": .string(title), "place": .string(place), "start": start.json, "end": end.json,
            "recurrence": recurrence.map { .string($0.words) } ?? .null,
        ]
    }

    fileprivate var exceptionJSON: JSONValue {
        [
            "recurrenceId": recurrenceID.json, "start": start.json, "end": end.json,
            "isCanceled": .bool(status == .cancelled),
        ]
    }
}

extension CalendarTime? {
    fileprivate var json: JSONValue { self?.json ?? .null }
}

extension CalendarTime {
    fileprivate var json: JSONValue {
        [
            "local": .string(local), "utc": date.map { .string(JMAPDate.write($0)) } ?? .null,
            "timeZone": zone.map { .string($0) } ?? .null,
            "zoneName": zoneName.map { .string($0) } ?? .null,
        ]
    }
}

extension Recurrence {
    fileprivate var json: JSONValue {
        [
            "words": .string(words), "rule": .string(rule), "isListed": .bool(isListed),
            "next": .array(
                next.map { occurrence in
                    [
                        "start": occurrence.start.json, "end": occurrence.end.json,
                        "isException": .bool(occurrence.isException),
                    ]
                }),
        ]
    }
}

extension CalendarPerson {
    fileprivate var members: [String: JSONValue] {
        ["name": name.map { .string($0) } ?? .null, "email": .string(email)]
    }

    fileprivate var json: JSONValue { .object(members) }
}

extension Attendee {
    fileprivate func json(isMe: Bool) -> JSONValue {
        var members = person.members
        members["participation"] = .string(participation.rawValue)
        members["isOptional"] = .bool(isOptional)
        members["isResource"] = .bool(isResource)
        members["delegatedTo"] = delegatedTo.map { .string($0) } ?? .null
        members["delegatedFrom"] = delegatedFrom.map { .string($0) } ?? .null
        members["isMe"] = .bool(isMe)
        return .object(members)
    }
}
