import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI
import Rules

/// Creates, changes and destroys scripts, each checked before it is kept.
struct SieveScriptSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let known: Set<String> = ["name", "blobId", "isActive"]
        if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard object["isActive"] ?? false == false else {
            throw .invalidProperty("isActive", "is set with “onSuccessActivateScript”")
        }
        guard let blobID = object["blobId"]?.stringValue else {
            throw .invalidProperty("blobId", "is missing")
        }
        let name = try Self.name(object["name"])
        let text = try await Self.text(context.resolved(blobID) ?? blobID, in: accountID, context)
        let scripts = context.kernel.rulebook.scripts
        let script = try await Self.wrapping {
            try await scripts.create(name: name, text: text, in: accountID)
        }
        return (
            script.id,
            [
                "id": .string(script.id), "name": .string(script.name), "isActive": false,
                "blobId": .string(script.blobID.rawValue),
            ]
        )
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let scripts = context.kernel.rulebook.scripts
        let all = try await Self.wrapping { try await scripts.all(in: accountID) }
        guard let old = all.first(where: { $0.id == id }) else { throw .notFound }
        var (name, text) = (old.name, old.text)
        for (key, value) in patch.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "name":
                guard let new = try Self.name(value) else { throw .invalidProperty(key, "must be a string") }
                name = new
            case "blobId":
                guard let blobID = value.stringValue else { throw .invalidProperty(key, "must be an id") }
                text = try await Self.text(context.resolved(blobID) ?? blobID, in: accountID, context)
            case "isActive" where value == .bool(old.isActive): break
            case "isActive": throw .invalidProperty(key, "is set with “onSuccessActivateScript”")
            case "id" where value.stringValue == id: break
            default: throw .invalidProperty(key, "cannot be changed")
            }
        }
        let (newName, newText) = (name, text)
        try await Self.wrapping {
            try await scripts.update(id, in: accountID) { ($0.name, $0.text) = (newName, newText) }
        }
        var new = old
        new.text = text
        guard patch["blobId"] != nil else { return .null }
        return ["blobId": .string(new.blobID.rawValue)]
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let scripts = context.kernel.rulebook.scripts
        try await Self.wrapping { try await scripts.destroy(id, in: accountID) }
    }

    private static func name(_ value: JSONValue?) throws(SetError) -> String? {
        guard let value, value != .null else { return nil }
        guard let name = value.stringValue else { throw .invalidProperty("name", "must be a string") }
        return name
    }

    /// The text that was uploaded.
    static func text(
        _ blobID: String, in accountID: Id<Account>, _ context: RequestContext
    ) async throws(SetError) -> String {
        let blobs = context.kernel.blobs
        let bytes = try await SetError.wrapping {
            let content = try await blobs.content(Id(blobID), in: accountID).bytes
            guard content.size <= UserScripts.maxSize else {
                throw SetError("tooLarge", "A script can have at most \(UserScripts.maxSize >> 10) KB.")
            }
            return try await content.read(at: 0, count: content.size)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SetError("invalidSieve", "The script is not text in UTF-8.")
        }
        return text
    }

    @discardableResult
    private static func wrapping<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(SetError) -> Value {
        try await SetError.wrapping {
            do {
                return try await action()
            } catch let problem as ScriptProblem {
                throw SetError(problem)
            }
        }
    }
}
