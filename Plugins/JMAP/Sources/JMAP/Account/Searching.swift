import FoundationEssentials
import MailKernelAPI
import WebCalls

extension JMAPAccountSession {
    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress] {
        guard limit > 0 else { return [] }
        return try await meaningful {
            let mailboxes = try await listing()
            let roles = Dictionary(mailboxes.compactMap { box in box.role.map { ($0, box.id) } }) {
                first, _ in first
            }
            let condition: JSONValue?
            switch RemoteFilter(roles: roles).node(filter, isWide: true) {
            case .nothing: return []
            case .all: condition = nil
            case .condition(let value): condition = value
            }
            var query: [String: JSONValue] = [
                "accountId": .string(try await resource().accountID),
                "limit": .number(Double(min(limit, 10_000))),
                "sort": [["property": "receivedAt", "isAscending": false]],
            ]
            query["filter"] = condition
            let answer = try await request([Call("Email/query", "q", query)], purpose: "search mail")
            let ids = (try answer.response("q").value["ids"]?.arrayValue ?? []).compactMap(\.stringValue)
            return ids.map { RemoteMessageID($0) }.filter(\.isValid).prefix(limit)
                .map { RemoteAddress(feed: Self.feed, id: $0) }
        }
    }

    func read(
        _ messages: [RemoteMessageID], feed: FeedID
    ) async throws(AccountError) -> [RemoteMessage] {
        try await meaningful {
            guard feed == Self.feed else { throw AccountError.notFound }
            let resource = try await resource()
            var found: [RemoteMessage] = []
            var rest = messages.filter(\.isValid).map(\.rawValue)[...]
            while !rest.isEmpty {
                let part = try await smaller(resource) { amount in
                    let ids = rest.prefix(amount.size)
                    let list = JSONValue.array(ids.map { .string($0) })
                    let call = self.get(ids: ("ids", list), .whole(amount), "e", account: resource.accountID)
                    let answer = try await self.request([call], purpose: "read mail")
                    let emails = try answer.response("e").emails?.found ?? []
                    return (ids.count, emails.filter { ids.contains($0.id) }.compactMap(\.message))
                }
                found += part.1
                rest = rest.dropFirst(part.0)
            }
            return found
        }
    }
}

/// The kernel's filters as those of the service (RFC 8621, 4.4.1). What the service cannot tell matches too much, and
/// too little within what is to be excluded.
struct RemoteFilter {
    enum Node {
        case all, nothing
        case condition(JSONValue)
    }

    let roles: [Mailbox.Role: RemoteMailboxID]

    func node(_ filter: EmailFilter, isWide: Bool) -> Node {
        switch filter {
        case .and(let filters): join("AND", filters.map { node($0, isWide: isWide) })
        case .or(let filters): any(filters.map { node($0, isWide: isWide) })
        case .not(let filters): join("AND", filters.map { inverse(node($0, isWide: !isWide)) })
        case .inMailbox(let id): one("inMailbox", .string(id.rawValue))
        case .inMailboxOtherThan(let ids):
            one("inMailboxOtherThan", .array(ids.map { .string($0.rawValue) }))
        case .inRole(let role): roles[role].map { one("inMailbox", .string($0.rawValue)) } ?? .nothing
        case .before(let date): one("before", JSONDate.write(date))
        case .after(let date): one("after", JSONDate.write(date))
        case .minSize(let size): one("minSize", .number(Double(max(0, size))))
        case .maxSize(let size): one("maxSize", .number(Double(max(0, size))))
        case .hasKeyword(let keyword): one("hasKeyword", .string(keyword.rawValue))
        case .notKeyword(let keyword): one("notKeyword", .string(keyword.rawValue))
        case .allInThreadHaveKeyword(let keyword):
            one("allInThreadHaveKeyword", .string(keyword.rawValue))
        case .someInThreadHaveKeyword(let keyword):
            one("someInThreadHaveKeyword", .string(keyword.rawValue))
        case .noneInThreadHaveKeyword(let keyword):
            one("noneInThreadHaveKeyword", .string(keyword.rawValue))
        case .hasAttachment(let wanted): one("hasAttachment", .bool(wanted))
        case .text(let text): words("text", text)
        case .from(let text): words("from", text)
        case .to(let text): words("to", text)
        case .cc(let text): words("cc", text)
        case .bcc(let text): words("bcc", text)
        case .subject(let text): words("subject", text)
        case .body(let text): words("body", text)
        case .header(let name, let value):
            one("header", .array([.string(name)] + (value.map { [.string($0)] } ?? [])))
        case .category: isWide ? .all : .nothing
        }
    }

    private func one(_ name: String, _ value: JSONValue) -> Node { .condition(.object([name: value])) }

    private func words(_ name: String, _ text: String) -> Node {
        text.allSatisfy(\.isWhitespace) ? .all : one(name, .string(text))
    }

    private func inverse(_ node: Node) -> Node {
        switch node {
        case .all: .nothing
        case .nothing: .all
        case .condition(let value): .condition(["operator": "NOT", "conditions": [value]])
        }
    }

    private func join(_ name: String, _ nodes: [Node]) -> Node {
        var conditions: [JSONValue] = []
        for node in nodes {
            switch node {
            case .all: continue
            case .nothing: return .nothing
            case .condition(let value): conditions.append(value)
            }
        }
        if conditions.isEmpty { return .all }
        return conditions.count == 1 && name == "AND"
            ? .condition(conditions[0])
            : .condition(["operator": .string(name), "conditions": .array(conditions)])
    }

    private func any(_ nodes: [Node]) -> Node {
        var conditions: [JSONValue] = []
        for node in nodes {
            switch node {
            case .all: return .all
            case .nothing: continue
            case .condition(let value): conditions.append(value)
            }
        }
        return conditions.isEmpty
            ? .nothing : .condition(["operator": "OR", "conditions": .array(conditions)])
    }
}
