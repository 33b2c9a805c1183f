import Kernel
import MailKernelAPI

extension RecordType {
    static let vault = RecordType(
        "Vault", .secrets, of: .program,
        .running(SecretVault.dataType) { kernel, _ in try await kernel.vault.status.state },
        ["id", "kind", "state"])
}

extension Method {
    static let privacy: [Method] = [
        Method("Connection/get", .connections, PrivacyMethods.getConnections),
        .get(.vault) { context, _, _ async throws(MethodError) in
            let status = try await PrivacyMethods.vault(context)
            let object: [String: JSONValue] = [
                "id": .string(singletonID), "kind": .string(status.kind.rawValue),
                "state": .string(status.access.rawValue),
            ]
            return [(singletonID, object)]
        },
        // A passphrase unlocks the vault, or makes it.
        .set(.vault, onlyPage: "open the vault", with: SingletonSetter(set: PrivacyMethods.openVault)),
    ]
}

/// What leaves this machine, and where the secrets are that it takes.
enum PrivacyMethods {
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

    @Sendable static func openVault(
        _ patch: [String: JSONValue], _ context: inout RequestContext
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

    static func vault(_ context: RequestContext) async throws(MethodError) -> SecretVault.Status {
        do {
            return try await context.kernel.vault.status
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }
}
