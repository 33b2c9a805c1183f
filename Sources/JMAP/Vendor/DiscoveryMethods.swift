import Accounts
import MailKernelAPI

extension RecordType {
    static let discovery = RecordType(
        "AccountDiscovery", .accounts, of: .program,
        .running(Discoveries.dataType) { kernel, _ in await kernel.signIns.discoveries.state },
        [
            "id", "address", "state", "servers", "steps", "line", "warning", "isKnown", "setupIds",
            "serviceName", "problem", "isRefused", "isOffline",
        ])
}

extension Method {
    /// How the mail service of an address is found.
    static let discoveries: [Method] = [
        Method(.discovery, "get") { context, arguments async throws(MethodError) in
            try context.requirePage("add accounts")
            return try await context.get(.discovery, &arguments) { context, _, _ in
                await context.kernel.signIns.discoveries.list.map { ($0.id, $0.json) }
            }
        },
        .set(.discovery, onlyPage: "add accounts", with: DiscoverySetter()),
    ]
}

private struct DiscoverySetter: RecordSetter {
    /// The built-in list answers at once, and most servers soon.
    private static let patience = 1.0

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        guard Set(object.keys) == ["address"], let address = object["address"]?.stringValue else {
            throw .invalidProperty("address", "is required, and nothing else is allowed")
        }
        let discoveries = context.kernel.signIns.discoveries
        let begun = try await SetError.wrapping { try await discoveries.begin(address) }
        guard let begun else {
            throw .invalidProperty("address", "must be a full mail address, such as ada@example.org")
        }
        let discovery = await discoveries.settled(begun.id, within: Self.patience) ?? begun
        return (discovery.id, discovery.json.filter { object[$0.key] == nil })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard Set(patch.keys) == ["isAllowed"], let isAllowed = patch["isAllowed"]?.boolValue else {
            throw .invalidProperty("isAllowed", "must be true or false, without any other change")
        }
        let discoveries = context.kernel.signIns.discoveries
        guard await discoveries.discovery(id) != nil else { throw .notFound }
        let wasAwaited = try await SetError.wrapping {
            try await discoveries.answer(id, allows: isAllowed)
        }
        guard wasAwaited else { throw .invalidProperty("isAllowed", "is not expected by this search") }
        _ = await discoveries.settled(id, within: Self.patience)
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        guard await context.kernel.signIns.discoveries.cancel(id) else { throw .notFound }
    }
}

extension Discovery {
    fileprivate var json: [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        return [
            "id": .string(id), "address": .string(address), "state": .string(phase.rawValue),
            "servers": list(servers), "steps": list(steps), "line": text(line), "warning": text(warning),
            "isKnown": .bool(isKnown), "setupIds": list(setupIDs), "serviceName": text(serviceName),
            "problem": text(problem), "isRefused": .bool(isRefused), "isOffline": .bool(isOffline),
        ]
    }
}
