import Compose
import FoundationEssentials
import Invitations
import MailKernelAPI

extension RecordType {
    static let invitation = RecordType(
        "Invitation", .compose, .follows(.email),
        [
            "id", "blobId", "method", "uid", "sequence", "status", "title", "place", "notes", "comment",
            "start", "end", "recurrenceId", "recurrence", "exceptions", "organizer", "attendees",
            "attendeeCount", "otherCount", "isIncomplete", "me", "isOrganizer", "isSenderExpected",
            "organizerWarning", "mayAnswer", "answer", "note", "answerState", "submissionId", "sendAt",
            "earlierAnswer",
            "changes", "previous", "newerEmailId", "isCanceledLater",
        ])
}

extension Method {
    /// Invitations in messages, and the answers to them.
    static let invitations: [Method] = [
        Method(.invitation, "get", InvitationMethods.get),
        Method(.invitation, "answer", InvitationMethods.answer),
        Method(.invitation, "takeBack", InvitationMethods.takeBack),
    ]
}

enum InvitationMethods {
    /// Each may have to be fetched from the service.
    private static let most = 20

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.invitation.properties)
        try arguments.finish()
        guard let ids = asked.ids else { throw .invalidArguments("ids", "must contain ids of emails") }
        guard ids.count <= most else { throw .tooManyObjects(most) }
        let invitations = context.kernel.invitations
        return try await context.get(.invitation, in: account.id, asked) {
            _, accountID, _ async throws(MethodError) in
            try await MethodError.composing {
                var found: [Record] = []
                for id in ids {
                    if let view = try await invitations.view(of: Id(id), in: accountID) {
                        found.append((id, view.json))
                    }
                }
                return found
            }
        }
    }

    @Sendable static func answer(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.sendingAccount(&arguments)
        try context.requireWriting()
        let asked = try arguments.required(try arguments.string("id"), "id")
        let word = try arguments.required(try arguments.string("answer"), "answer")
        let note = try arguments.string("note") ?? ""
        try arguments.finish()
        guard let answer = Participation(rawValue: word), [.accepted, .declined, .tentative].contains(answer)
        else { throw .invalidArguments("answer", "must be “accepted”, “declined” or “tentative”") }
        let (kernel, accountID, isPage) = (context.kernel, account.id, context.client.isPage)
        let id = Id<Email>(context.resolved(asked) ?? asked)
        let submission = try await answering {
            try await kernel.invitations.answer(
                id, in: accountID, with: answer, note: note, isFromPage: isPage)
        }
        return [
            "accountId": .string(accountID.rawValue), "submissionId": .string(submission.id.rawValue),
            "sendAt": .string(JMAPDate.write(submission.sendAt)),
            "undoSeconds": .number(submission.sendAt.timeIntervalSince(submission.queuedAt).rounded()),
        ]
    }

    @Sendable static func takeBack(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.sendingAccount(&arguments)
        try context.requireWriting()
        let asked = try arguments.required(try arguments.string("id"), "id")
        try arguments.finish()
        let (kernel, accountID) = (context.kernel, account.id)
        let id = Id<Email>(context.resolved(asked) ?? asked)
        let isTakenBack = try await answering { try await kernel.invitations.takeBack(id, in: accountID) }
        return ["accountId": .string(accountID.rawValue), "isTakenBack": .bool(isTakenBack)]
    }

    private static func answering<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(MethodError) -> Value {
        let result: Result<Value, InvitationError> = try await MethodError.composing {
            do {
                return .success(try await action())
            } catch let error as InvitationError {
                return .failure(error)
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(.notFound): throw .invalidArguments("id", "is not an email with an invitation")
        case .failure(let error): throw MethodError("invalidArguments", error.sentence)
        }
    }
}
