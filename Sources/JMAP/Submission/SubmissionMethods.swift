import FoundationEssentials
import Kernel
import MailKernelAPI

extension Method {
    /// RFC 8621, section 7.
    static let submission = [
        Method("EmailSubmission/get", .submission, SubmissionMethods.get),
        Method("EmailSubmission/changes", .submission) { context, arguments async throws(MethodError) in
            try await context.changes(of: .submission, &arguments)
        },
        Method("EmailSubmission/query", .submission, SubmissionMethods.query),
        Method("EmailSubmission/queryChanges", .submission, SubmissionMethods.queryChanges),
        Method("EmailSubmission/set", .submission, SubmissionSetMethods.set),
    ]
}

enum SubmissionMethods {
    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.submission.properties)
        try arguments.finish()
        let state = try await context.state(of: .submission, in: account.id)
        let submissions = try await context.reading { store throws(StorageError) in
            try await store.submissions(asked.ids.map { $0.map { Id($0) } }, in: account.id)
        }
        return try asked.answer(
            in: account.id, state: state.rawValue, submissions.map { ($0.id.rawValue, $0.json) })
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try SubmissionQuery(&arguments, context)
        let window = try QueryWindow(&arguments, maxLimit: 5000)
        try arguments.finish()
        let state = try await context.state(of: .submission, in: account.id)
        let submissions = try await context.reading { store throws(StorageError) in
            try await store.submissions(nil, in: account.id)
        }
        return try window.answer(
            in: account.id, ids: query.result(of: submissions).map(\.id.rawValue), queryState: state.rawValue)
    }

    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try SubmissionQuery(&arguments, context)
        let asked = try QueryChangesArguments(&arguments)
        let state = try await context.state(of: .submission, in: account.id)
        let submissions = try await context.reading { store throws(StorageError) in
            try await store.submissions(nil, in: account.id)
        }
        return try asked.unchangedOnly(
            in: account.id, state: state.rawValue, total: query.result(of: submissions).count)
    }
}

/// The filter and the order of `EmailSubmission/query` (RFC 8621, section 7.3).
private struct SubmissionQuery {
    private indirect enum Filter {
        case all([Filter])
        case any([Filter])
        case none([Filter])
        case identity(Set<String>)
        case email(Set<String>)
        case thread(Set<String>)
        case undoStatus(String)
        case before(Date)
        case after(Date)
    }

    private var filter: Filter = .all([])
    private var sort: [(property: String, isAscending: Bool)] = []

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        if let object = try arguments.object("filter") { filter = try Self.filter(object, depth: 0) }
        for element in try arguments.array("sort") ?? [] {
            var comparator = Arguments(element.objectValue ?? [:])
            let property = try comparator.required(try comparator.string("property"), "property")
            guard ["emailId", "threadId", "sentAt", "sendAt"].contains(property) else {
                throw MethodError(
                    "unsupportedSort", "Submissions cannot be sorted by “\(property.prefix(60))”.")
            }
            sort.append((property, try comparator.bool("isAscending", default: true)))
            // Clients put more into a comparator than it has; that means nothing.
        }
    }

    private static func filter(_ object: [String: JSONValue], depth: Int) throws(MethodError) -> Filter {
        guard depth < 32 else { throw MethodError("unsupportedFilter", "The filter is nested too deeply.") }
        var arguments = Arguments(object)
        if let name = try arguments.string("operator") {
            var inner: [Filter] = []
            for condition in try arguments.array("conditions") ?? [] {
                guard let object = condition.objectValue else {
                    throw .invalidArguments("filter", "has to hold objects in “conditions”")
                }
                inner.append(try filter(object, depth: depth + 1))
            }
            try arguments.finish()
            switch name {
            case "AND": return .all(inner)
            case "OR": return .any(inner)
            case "NOT": return .none(inner)
            default: throw .invalidArguments("filter", "has an operator that is not AND, OR or NOT")
            }
        }
        var conditions: [Filter] = []
        if let ids = try arguments.strings("identityIds") { conditions.append(.identity(Set(ids))) }
        if let ids = try arguments.strings("emailIds") { conditions.append(.email(Set(ids))) }
        if let ids = try arguments.strings("threadIds") { conditions.append(.thread(Set(ids))) }
        if let status = try arguments.string("undoStatus") { conditions.append(.undoStatus(status)) }
        if let date = try arguments.date("before") { conditions.append(.before(date)) }
        if let date = try arguments.date("after") { conditions.append(.after(date)) }
        do {
            try arguments.finish()
        } catch {
            throw MethodError("unsupportedFilter", error.description)
        }
        return .all(conditions)
    }

    func result(of submissions: [EmailSubmission]) -> [EmailSubmission] {
        submissions.filter { Self.matches($0, filter) }.sorted { one, other in
            for (property, isAscending) in sort {
                let (left, right) = (Self.key(one, property), Self.key(other, property))
                if left != right { return (left < right) == isAscending }
            }
            return one.id < other.id
        }
    }

    private static func key(_ submission: EmailSubmission, _ property: String) -> String {
        switch property {
        case "emailId": submission.emailID.rawValue
        case "threadId": submission.threadID?.rawValue ?? ""
        default: JMAPDate.write(submission.sendAt)
        }
    }

    private static func matches(_ submission: EmailSubmission, _ filter: Filter) -> Bool {
        switch filter {
        case .all(let filters): filters.allSatisfy { matches(submission, $0) }
        case .any(let filters): filters.contains { matches(submission, $0) }
        case .none(let filters): !filters.contains { matches(submission, $0) }
        case .identity(let ids): ids.contains(submission.identityID.rawValue)
        case .email(let ids): ids.contains(submission.emailID.rawValue)
        case .thread(let ids): submission.threadID.map { ids.contains($0.rawValue) } ?? false
        case .undoStatus(let status): submission.undoStatus.rawValue == status
        case .before(let date): submission.sendAt < date
        case .after(let date): submission.sendAt >= date
        }
    }
}

extension EmailSubmission {
    /// An EmailSubmission object. The last four members are this program's own.
    var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue),
            "identityId": .string(identityID.rawValue),
            "emailId": .string(emailID.rawValue),
            "threadId": threadID.map { .string($0.rawValue) } ?? .null,
            "envelope": [
                "mailFrom": ["email": .string(envelope.mailFrom), "parameters": .null],
                "rcptTo": .array(envelope.rcptTo.map { ["email": .string($0), "parameters": .null] }),
            ],
            "sendAt": .string(JMAPDate.write(sendAt)),
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
            "nextTryAt": nextTryAt.map { .string(JMAPDate.write($0)) } ?? .null,
            "failure": failure.map { .string($0) } ?? .null,
        ]
    }
}
