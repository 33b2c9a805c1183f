import Compose
import FoundationEssentials
import Kernel
import MailKernelAPI

extension RecordType {
    static let submission = RecordType(
        "EmailSubmission", .submission, of: .sender, .stored(.submission),
        [
            "id", "identityId", "emailId", "threadId", "envelope", "sendAt", "undoStatus", "deliveryStatus",
            "dsnBlobIds", "mdnBlobIds", "sendState", "tries", "nextTryAt", "failure", "isPaused",
            "isScheduled", "isHandedOver", "mayHaveBeenSent",
        ])
}

extension Method {
    /// RFC 8621, section 7.
    static let submission: [Method] = [
        .get(.submission) { context, accountID, asked async throws(MethodError) in
            let submissions = try await context.reading { store throws(StorageError) in
                try await store.submissions(asked.ids(of: EmailSubmission.self), in: accountID)
            }
            let paused = await context.kernel.outbox.paused
            return submissions.map { ($0.id.rawValue, $0.json(isPaused: paused.contains($0.id))) }
        },
        .changes(of: .submission),
        Method(.submission, "query", SubmissionMethods.query),
        Method(.submission, "queryChanges", SubmissionMethods.queryChanges),
        Method(.submission, "set", SubmissionMethods.set),
        Method("EmailSubmission/holdLimits", .compose, SubmissionMethods.holdLimits),
    ]
}

enum SubmissionMethods {
    /// For how long the account's service holds messages; a service that cannot be asked now holds none.
    @Sendable static func holdLimits(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await context.account(for: .submission, &arguments)
        try arguments.finish()
        let limits = try? await context.kernel.outbox.holdLimits(of: accountID)
        return [
            "accountId": .string(accountID.rawValue),
            "maxSeconds": limits.map { .number(Double($0.maxSeconds)) } ?? .null,
            "latest": limits?.latest.map { .string(JMAPDate.write($0)) } ?? .null,
            "canCancel": .bool(limits?.canCancel ?? false),
        ]
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await context.account(for: .submission, &arguments)
        let query = try SubmissionQuery(&arguments, context)
        let window = try QueryWindow(&arguments, maxLimit: 5000)
        try arguments.finish()
        let state = try await context.state(of: .submission, in: accountID)
        let submissions = try await context.reading { store throws(StorageError) in
            try await store.submissions(nil, in: accountID)
        }
        return try window.answer(
            in: accountID, ids: query.result(of: submissions).map(\.id.rawValue), queryState: state.rawValue)
    }

    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await context.account(for: .submission, &arguments)
        let query = try SubmissionQuery(&arguments, context)
        let asked = try QueryChangesArguments(&arguments)
        let state = try await context.state(of: .submission, in: accountID)
        let submissions = try await context.reading { store throws(StorageError) in
            try await store.submissions(nil, in: accountID)
        }
        return try asked.unchangedOnly(
            in: accountID, state: state.rawValue, total: query.result(of: submissions).count)
    }
}

extension EmailSubmission {
    var json: [String: JSONValue] { json(isPaused: false) }

    /// An EmailSubmission object. The last eight members are this program's own.
    func json(isPaused: Bool) -> [String: JSONValue] {
        // The data stored before an attempt, in case its end is never recorded, is not reported as fact.
        let isBeingTried = sendState == .sending
        // The service gets it at the end of the undo delay.
        let nextTry = isHandedOver && undoStatus == .pending ? sendAt : nextTryAt
        return [
            "id": .string(id.rawValue),
            "identityId": .string(identityID.rawValue),
            "emailId": .string(emailID.rawValue),
            "threadId": threadID.map { .string($0.rawValue) } ?? .null,
            "envelope": [
                "mailFrom": [
                    "email": .string(envelope.mailFrom),
                    "parameters": isScheduled || isHandedOver
                        ? ["HOLDUNTIL": .string(JMAPDate.write(leavesAt))] : .null,
                ],
                "rcptTo": .array(envelope.rcptTo.map { ["email": .string($0), "parameters": .null] }),
            ],
            "sendAt": .string(JMAPDate.write(leavesAt)),
            "undoStatus": .string(undoStatus.rawValue),
            "deliveryStatus": deliveryStatus.isEmpty
                ? .null
                : .object(
                    deliveryStatus.mapValues {
                        [
                            "smtpReply": .string($0.smtpReply), "delivered": .string($0.delivered.rawValue),
                            "displayed": "unknown",
                        ]
                    }),
            "dsnBlobIds": [],
            "mdnBlobIds": [],
            "sendState": .string(sendState.rawValue),
            "tries": .number(Double(tries)),
            "nextTryAt": nextTry.map { .string(JMAPDate.write($0)) } ?? .null,
            "isPaused": .bool(isPaused),
            "isScheduled": .bool(isScheduled),
            "isHandedOver": .bool(isHandedOver),
            "failure": isBeingTried ? .null : failure.map { .string($0) } ?? .null,
            "mayHaveBeenSent": .bool(mayHaveBeenSent && !isBeingTried),
        ]
    }
}
