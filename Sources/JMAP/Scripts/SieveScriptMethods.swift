import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI
import Rules

extension RecordType {
    static let sieveScript = RecordType(
        "SieveScript", .sieve, .stored(UserScripts.dataType), ["id", "name", "blobId", "isActive"])
}

/// JMAP for Sieve scripts (RFC 9661).
extension Method {
    static let sieve: [Method] = [
        .get(.sieveScript) { context, accountID, asked async throws(MethodError) in
            let scripts = context.kernel.rulebook.scripts
            return try await context.reading { _ throws(StorageError) in
                try await scripts.all(in: accountID)
            }.map { ($0.id, $0.json) }
        },
        Method(.sieveScript, "query", SieveScriptMethods.query),
        Method(.sieveScript, "set", SieveScriptMethods.set),
        Method(.sieveScript, "validate", SieveScriptMethods.validate),
    ]
}

extension UserScript {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id), "name": .string(name), "blobId": .string(blobID.rawValue),
            "isActive": .bool(isActive),
        ]
    }
}

enum SieveScriptMethods {
    private enum ScriptCondition {
        case name(String)
        case isActive(Bool)
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let filter: FilterTree<ScriptCondition> = try .read(try arguments.object("filter") ?? [:]) {
            arguments throws(MethodError) in
            var conditions: [ScriptCondition] = []
            if let name = try arguments.string("name") { conditions.append(.name(name.lowercased())) }
            if arguments.has("isActive") { conditions.append(.isActive(try arguments.bool("isActive"))) }
            return conditions
        }
        let sort = try Comparator.read(&arguments, ["name", "isActive"], of: "Scripts")
        let window = try QueryWindow(&arguments, maxLimit: UserScripts.most)
        try arguments.finish()
        let state = try await context.state(of: .sieveScript, in: account.id)
        let scripts = context.kernel.rulebook.scripts
        let found = try await context.reading { _ throws(StorageError) in
            try await scripts.all(in: account.id)
        }.filter { script in filter.matches { isMet($0, by: script) } }
        let ids = found.sorted { isBefore($0, $1, sort) }.map(\.id)
        return try window.answer(in: account.id, ids: ids, queryState: state.rawValue)
    }

    private static func isMet(_ condition: ScriptCondition, by script: UserScript) -> Bool {
        switch condition {
        case .name(let name): script.name.lowercased().contains(name)
        case .isActive(let isActive): script.isActive == isActive
        }
    }

    private static func isBefore(_ one: UserScript, _ other: UserScript, _ sort: [Comparator]) -> Bool {
        for comparator in sort {
            let (before, after) =
                comparator.property == "name"
                ? (one.name < other.name, one.name > other.name)
                : (!one.isActive && other.isActive, one.isActive && !other.isActive)
            if before || after { return before == comparator.isAscending }
        }
        return (one.name, one.id) < (other.name, other.id)
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await context.account(for: .sieveScript, &arguments)
        let activated = try arguments.name("onSuccessActivateScript")
        let deactivates = try arguments.bool("onSuccessDeactivateScript")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        var setter = SieveScriptSetter()
        var answer = try await context.set(.sieveScript, in: accountID, asked, with: &setter)
        let hasFailed = ["notCreated", "notUpdated", "notDestroyed"].contains { answer[$0] != .null }
        guard !hasFailed, activated != nil || deactivates else { return answer }
        let scripts = context.kernel.rulebook.scripts
        let id = activated.map { context.resolved($0) ?? $0 }
        let changed = try await context.reading { _ throws(StorageError) in
            try await scripts.active(in: accountID)?.id
        }
        do {
            try await scripts.activate(id, in: accountID)
        } catch is ScriptProblem {
            // A script that is not there is not activated; all else was done.
            return answer
        } catch let error as StorageError {
            throw MethodError(error)
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
        report(&answer, id, isActive: true)
        if changed != id { report(&answer, changed, isActive: false) }
        answer["newState"] = .string(try await context.state(of: .sieveScript, in: accountID).rawValue)
        return answer
    }

    /// A change of `isActive` is reported as the server's (RFC 9661, section 2.4).
    private static func report(_ answer: inout [String: JSONValue], _ id: String?, isActive: Bool) {
        guard let id else { return }
        if var created = answer["created"]?.objectValue,
            let key = created.first(where: { $0.value["id"]?.stringValue == id })?.key
        {
            var object = created[key]?.objectValue ?? [:]
            object["isActive"] = .bool(isActive)
            created[key] = .object(object)
            answer["created"] = .object(created)
            return
        }
        var updated = answer["updated"]?.objectValue ?? [:]
        var object = updated[id]?.objectValue ?? [:]
        object["isActive"] = .bool(isActive)
        updated[id] = .object(object)
        answer["updated"] = .object(updated)
    }

    @Sendable static func validate(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let blobID = try arguments.required(try arguments.name("blobId"), "blobId")
        try arguments.finish()
        var problem: JSONValue = .null
        do throws(SetError) {
            let text = try await SieveScriptSetter.text(blobID, in: account.id, context)
            do {
                try UserScripts.check(text)
            } catch {
                throw SetError(error)
            }
        } catch {
            problem = error.json
        }
        return ["accountId": .string(account.id.rawValue), "error": problem]
    }
}

extension SetError {
    init(_ problem: ScriptProblem) {
        let type =
            switch problem.kind {
            case .invalidSieve: "invalidSieve"
            case .tooLarge: "tooLarge"
            case .nameTaken: "alreadyExists"
            case .invalidName: "invalidProperties"
            case .tooMany: "overQuota"
            case .isActive: "sieveIsActive"
            case .notFound: "notFound"
            }
        self.init(type, problem.sentence, properties: problem.kind == .invalidName ? ["name"] : [])
    }
}
