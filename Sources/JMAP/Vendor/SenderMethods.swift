import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

extension RecordType {
    static let sender = RecordType("Sender", .senders, .follows(.email))
}

extension Method {
    static let senders: [Method] = [Method(.sender, "list", SenderMethods.list)]
}

/// Everyone who has sent mail to an account.
enum SenderMethods {
    private static let most = 500

    private enum Order: String {
        case recent, total, readShare, lastAt, name
    }

    @Sendable static func list(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let text = try arguments.string("text") ?? ""
        let order = Order(rawValue: try arguments.string("sort") ?? Order.recent.rawValue)
        let isAscending = try arguments.bool("isAscending")
        let position = try arguments.unsignedInt("position") ?? 0
        let limit = min(try arguments.unsignedInt("limit") ?? 50, most)
        try arguments.finish()
        guard let order else {
            throw .invalidArguments("sort", "must be “recent”, “total”, “readShare”, “lastAt” or “name”")
        }
        let state = try await context.state(of: .sender, in: account.id)
        let kernel = context.kernel
        let (all, records) = try await MethodError.composing {
            (
                try await kernel.senders.all(in: account.id),
                try await kernel.unsubscribing.records(in: account.id)
            )
        }
        let found = sorted(SenderSummary.matching(text, among: all), by: order, isAscending: isAscending)
        let shown = found.dropFirst(position).prefix(limit)
        let ignored = try await stillSending(shown, records, context, in: account.id)
        return [
            "accountId": .string(account.id.rawValue), "state": .string(state.rawValue),
            "total": .number(Double(found.count)), "position": .number(Double(position)),
            "list": .array(
                shown.map { sender in
                    var json = sender.json
                    var view = records[sender.email]
                    view?.isStillSending = ignored.contains(sender.email)
                    json["unsubscribed"] = view.map { .object($0.recordJSON) } ?? .null
                    return .object(json)
                }),
        ]
    }

    /// Of a sender with several lists, the newest message may be of another one.
    private static func stillSending(
        _ shown: ArraySlice<SenderSummary>, _ records: [String: UnsubscribeView], _ context: RequestContext,
        in accountID: Id<Account>
    ) async throws(MethodError) -> Set<String> {
        let late = shown.filter { records[$0.email]?.record?.isIgnored(by: $0.lastAt) ?? false }
        let desk = context.kernel.unsubscribing
        let views = try await context.reading { _ throws(StorageError) in
            try await desk.views(of: late.map(\.lastEmailID), in: accountID)
        }
        return Set(views.filter(\.isStillSending).map(\.list.sender))
    }

    private static func sorted(
        _ senders: [SenderSummary], by order: Order, isAscending: Bool
    ) -> [SenderSummary] {
        func key(_ sender: SenderSummary) -> Double {
            switch order {
            case .recent: Double(sender.recent)
            case .total: Double(sender.total)
            case .readShare: Double(sender.read) / Double(max(1, sender.total))
            case .lastAt: sender.lastAt.timeIntervalSince1970
            case .name: 0
            }
        }
        func name(_ sender: SenderSummary) -> String { (sender.name ?? sender.email).lowercased() }
        guard order != .name else {
            let named = senders.map { (name($0), $0) }.sorted { ($0.0, $0.1.email) < ($1.0, $1.1.email) }
                .map(\.1)
            return isAscending ? named : named.reversed()
        }
        // Of equals, those with more mail come first in either direction.
        return senders.map { (key($0), $0) }.sorted { one, other in
            if one.0 != other.0 { return isAscending ? one.0 < other.0 : one.0 > other.0 }
            if one.1.total != other.1.total { return one.1.total > other.1.total }
            return one.1.email < other.1.email
        }.map(\.1)
    }
}

extension SenderSummary {
    fileprivate var json: [String: JSONValue] {
        [
            "email": .string(email), "name": name.map { .string($0) } ?? .null,
            "warning": EmailAddress(name: name, email: email).look.warning.map { .string($0) } ?? .null,
            "total": .number(Double(total)), "recent": .number(Double(recent)),
            "read": .number(Double(read)), "lastAt": .string(JMAPDate.write(lastAt)),
            "lastEmailId": .string(lastEmailID.rawValue),
        ]
    }
}
