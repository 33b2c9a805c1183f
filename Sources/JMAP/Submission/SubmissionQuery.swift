import Compose
import FoundationEssentials
import Kernel
import MailKernelAPI

/// The filter and the order of `EmailSubmission/query` (RFC 8621, section 7.3).
struct SubmissionQuery {
    private enum SubmissionCondition {
        case identity(Set<String>)
        case email(Set<String>)
        case thread(Set<String>)
        case undoStatus(String)
        case before(Date)
        case after(Date)
    }

    private let filter: FilterTree<SubmissionCondition>
    private let sort: [Comparator]

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        filter = try .read(try arguments.object("filter") ?? [:]) { arguments throws(MethodError) in
            try Self.conditions(&arguments, context)
        }
        sort = try Comparator.read(
            &arguments, ["emailId", "threadId", "sentAt", "sendAt"], of: "Submissions")
    }

    private static func conditions(
        _ arguments: inout Arguments, _ context: RequestContext
    ) throws(MethodError) -> [SubmissionCondition] {
        var conditions: [SubmissionCondition] = []
        func ids(_ name: String) throws(MethodError) -> Set<String>? {
            try arguments.ids(name).map { ids in Set(ids.map { context.resolved($0) ?? $0 }) }
        }
        if let ids = try ids("identityIds") { conditions.append(.identity(ids)) }
        if let ids = try ids("emailIds") { conditions.append(.email(ids)) }
        if let ids = try ids("threadIds") { conditions.append(.thread(ids)) }
        if let status = try arguments.string("undoStatus") { conditions.append(.undoStatus(status)) }
        if let date = try arguments.date("before") { conditions.append(.before(date)) }
        if let date = try arguments.date("after") { conditions.append(.after(date)) }
        return conditions
    }

    func result(of submissions: [EmailSubmission]) -> [EmailSubmission] {
        submissions.filter { submission in filter.matches { Self.isMet($0, by: submission) } }.sorted {
            one, other in
            for comparator in sort {
                let left = Self.key(one, comparator.property)
                let right = Self.key(other, comparator.property)
                if left != right { return (left < right) == comparator.isAscending }
            }
            return one.id < other.id
        }
    }

    private static func key(_ submission: EmailSubmission, _ property: String) -> String {
        switch property {
        case "emailId": submission.emailID.rawValue
        case "threadId": submission.threadID?.rawValue ?? ""
        default: JMAPDate.write(submission.leavesAt)
        }
    }

    private static func isMet(_ condition: SubmissionCondition, by submission: EmailSubmission) -> Bool {
        switch condition {
        case .identity(let ids): ids.contains(submission.identityID.rawValue)
        case .email(let ids): ids.contains(submission.emailID.rawValue)
        case .thread(let ids): submission.threadID.map { ids.contains($0.rawValue) } ?? false
        case .undoStatus(let status): submission.undoStatus.rawValue == status
        case .before(let date): submission.leavesAt < date
        case .after(let date): submission.leavesAt >= date
        }
    }
}
