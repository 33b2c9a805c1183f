import Kernel
import MailKernelAPI

extension Method {
    static let privacy = [
        Method("Connection/get", .connections, PrivacyMethods.getConnections),
        Method("Vault/get", .secrets, PrivacyMethods.getVault),
        Method("Vault/set", .secrets, PrivacyMethods.setVault),
    ]
}

/// What leaves this machine, and where the secrets are that it takes.
enum PrivacyMethods {
    static let vaultProperties = ["id", "kind", "state"]
    private static let vaultID = "singleton"
    private static let mostConnections = 1000

    /// The entries themselves in pages, since they are only looked through.
    @Sendable static func getConnections(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let position = try arguments.unsignedInt("position") ?? 0
        let limit = min(try arguments.unsignedInt("limit") ?? 100, mostConnections)
        try arguments.finish()
        let list: [JSONValue] = context.kernel.connections.list(from: position, limit: limit).map { entry in
            let isKnown = entry.state == .finished || entry.state == .failed
            return [
                "id": .string(entry.id),
                "pluginId": entry.plugin == MailKernel.ownName ? .null : .string(entry.plugin),
                "host": .string(entry.host), "port": .number(Double(entry.port)),
                "proxy": entry.proxy.map { .string($0) } ?? .null,
                "purpose": .string(entry.purposes.joined(separator: ", ")),
                "beganAt": .string(JMAPDate.write(entry.start)),
                "endedAt": entry.end.map { .string(JMAPDate.write($0)) } ?? .null,
                "bytesSent": isKnown ? .number(Double(entry.sent)) : .null,
                "bytesReceived": isKnown ? .number(Double(entry.received)) : .null,
                "outcome": .string(entry.state.rawValue),
                "problem": entry.problem.map { .string($0) } ?? .null,
            ]
        }
        return [
            "accountId": .string(ProgramAccount.id.rawValue), "position": .number(Double(position)),
            "list": .array(list),
        ]
    }

    @Sendable static func getVault(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: vaultProperties)
        try arguments.finish()
        let status = try await vault(context)
        let object: [String: JSONValue] = [
            "id": .string(vaultID), "kind": .string(status.kind.rawValue),
            "state": .string(status.access.rawValue),
        ]
        let isAsked = asked.ids?.contains(vaultID) ?? true
        return try asked.answer(
            in: ProgramAccount.id, state: status.state.rawValue, isAsked ? [(vaultID, object)] : [])
    }

    /// A passphrase unlocks the vault, or makes it.
    @Sendable static func setVault(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("open the vault")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let old = try await vault(context)
        if let expected = asked.ifInState, expected != old.state { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create { answer.notCreated[creationID] = SetError("singleton") }
        for id in asked.destroys(context) { answer.notDestroyed[id] = SetError("singleton") }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                guard id == vaultID else { throw SetError.notFound }
                try await open(patch, context)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        let new = try await vault(context)
        return answer.json(
            in: ProgramAccount.id, oldState: old.state.rawValue, newState: new.state.rawValue)
    }

    private static func open(
        _ patch: [String: JSONValue], _ context: RequestContext
    ) async throws(SetError) {
        if let unknown = patch.keys.sorted().first(where: { $0 != "passphrase" }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let passphrase = patch["passphrase"]?.stringValue, !passphrase.isEmpty else {
            throw .invalidProperty("passphrase", "must be the vault's passphrase")
        }
        do {
            try await context.kernel.vault.open(with: Secret(passphrase))
        } catch {
            throw SetError("invalidProperties", "\(error)", properties: ["passphrase"])
        }
    }

    private static func vault(_ context: RequestContext) async throws(MethodError) -> SecretVault.Status {
        do {
            return try await context.kernel.vault.status
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }
}
