import FoundationEssentials
import MailKernelAPI
import WebCalls

/// Sieve scripts over JMAP (RFC 9661).
extension JMAPAccountSession {
    private static let textLimit = 1_048_576

    private struct Script: Sendable {
        let id: String
        let name: String
        let blob: String
        let isActive: Bool
    }

    func scripts() async throws(AccountError) -> RemoteScripts? {
        try await meaningful {
            let resource = try await resource()
            guard let account = resource.scriptsID else { return nil }
            let all = try await list(account)
            let names = Self.paths(try await listing())
            return RemoteScripts(
                extensions: Set(resource.sieveExtensions),
                scripts: all.map { RemoteScripts.Script(name: $0.name, isActive: $0.isActive) },
                mailboxNames: names)
        }
    }

    func script(named name: String) async throws(AccountError) -> String {
        try await meaningful {
            let account = try await scriptAccount()
            guard let script = try await list(account).first(where: { $0.name == name }) else {
                throw AccountError.notFound
            }
            let sink = Collector(limit: Self.textLimit)
            try await wire.download(script.blob, at: try await resource(), into: sink)
            return String(decoding: await sink.bytes, as: UTF8.self)
        }
    }

    func putScript(_ text: String, named name: String) async throws(AccountError) {
        try await meaningful {
            let account = try await scriptAccount()
            let blob = try await wire.upload(
                DataSource(Data(text.utf8)), type: "application/sieve", at: try await resource(),
                purpose: "save a script")
            if let old = try await list(account).first(where: { $0.name == name }) {
                try await change(account, ["update": [old.id: ["blobId": .string(blob)]]])
            } else {
                let script: JSONValue = ["name": .string(name), "blobId": .string(blob)]
                try await change(account, ["create": ["s": script]])
            }
        }
    }

    func activateScript(named name: String?) async throws(AccountError) {
        try await meaningful {
            let account = try await scriptAccount()
            guard let name else { return try await change(account, ["onSuccessDeactivateScript": true]) }
            guard let script = try await list(account).first(where: { $0.name == name }) else {
                throw AccountError.notFound
            }
            try await change(account, ["onSuccessActivateScript": .string(script.id)])
        }
    }

    func deleteScript(named name: String) async throws(AccountError) {
        try await meaningful {
            let account = try await scriptAccount()
            guard let script = try await list(account).first(where: { $0.name == name }) else { return }
            try await change(account, ["destroy": [.string(script.id)]])
        }
    }

    private func scriptAccount() async throws -> String {
        guard let account = try await resource().scriptsID else {
            throw AccountError.unsupported("scripts at the service")
        }
        return account
    }

    private func list(_ account: String) async throws -> [Script] {
        let answer = try await request(
            [Call("SieveScript/get", "g", ["accountId": .string(account), "ids": nil])], Capability.sieve,
            purpose: "read scripts")
        return (try answer.response("g").value["list"]?.arrayValue ?? []).prefix(1_000).compactMap { value in
            guard let id = value["id"]?.stringValue, Id<Blob>(id).isValid,
                let name = value["name"]?.stringValue, !name.isEmpty,
                let blob = value["blobId"]?.stringValue, Id<Blob>(blob).isValid
            else { return nil }
            return Script(id: id, name: name, blob: blob, isActive: value["isActive"]?.boolValue ?? false)
        }
    }

    private func change(_ account: String, _ change: [String: JSONValue]) async throws {
        let arguments = change.merging(["accountId": .string(account)]) { own, _ in own }
        let answer = try await request(
            [Call("SieveScript/set", "s", arguments)], Capability.sieve, purpose: "save a script")
        let value = try answer.response("s").value
        for key in ["notCreated", "notUpdated", "notDestroyed"] {
            if let error = value[key]?.objectValue?.values.first { throw MethodError(error) }
        }
    }

    /// What scripts call the mailboxes.
    private static func paths(_ mailboxes: [RemoteMailbox]) -> [RemoteMailboxID: String] {
        var paths: [RemoteMailboxID: String] = [:]
        for mailbox in mailboxes {
            let name = mailbox.role == .inbox ? "INBOX" : mailbox.name
            let parent = mailbox.parentID.flatMap { paths[$0] }
            paths[mailbox.id] = parent.map { "\($0)/\(name)" } ?? name
        }
        return paths
    }
}
