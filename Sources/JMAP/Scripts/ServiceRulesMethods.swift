import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// Where the rules of an account run: one object.
    static let serviceRules = RecordType(
        "ServiceRules", .rules, .stored(ServiceRules.dataType),
        [
            "id", "isWanted", "isActive", "mayBeThere", "isForeign", "scripts", "question", "rules",
            "obstacle", "checkedAt", "problem", "problemSince",
        ])
}

extension Method {
    static let serviceRules: [Method] = [
        .get(.serviceRules) { context, accountID, _ async throws(MethodError) in
            let service = context.kernel.rulebook.service
            let state = try await context.reading { _ throws(StorageError) in
                try await service.state(in: accountID)
            }
            return [(singletonID, state.json)]
        },
        .set(.serviceRules, with: ServiceRulesSetter()),
        Method(.serviceRules, "check", ServiceRulesMethods.check),
        Method(.serviceRules, "script", ServiceRulesMethods.script),
    ]
}

enum ServiceRulesMethods {
    /// Looks at the service. The answer does not wait for it: clients are told when the record changes.
    @Sendable static func check(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        try arguments.finish()
        let service = context.kernel.rulebook.service
        Task { await service.settle(account.id) }
        return ["accountId": .string(account.id.rawValue)]
    }

    @Sendable static func script(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let name = try arguments.required(try arguments.string("name"), "name")
        try arguments.finish()
        let service = context.kernel.rulebook.service
        do {
            let text = try await service.text(of: name, in: account.id)
            return [
                "accountId": .string(account.id.rawValue), "name": .string(name), "text": .string(text),
            ]
        } catch let error as AccountError {
            throw MethodError("serviceFailed", error.sentence)
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }
}

extension ServiceRules {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(singletonID), "isWanted": .bool(isWanted),
            "isActive": .bool(found?.isActive ?? false), "mayBeThere": .bool(mayBeThere),
            "isForeign": .bool(found?.isForeign ?? false),
            "scripts": found?.scripts.map { .array($0.map { .object(json($0)) }) } ?? .null,
            "question": found?.question?.json ?? .null,
            "rules": .array(
                (found?.rules ?? []).map {
                    [
                        "title": $0.title.map { .string($0) } ?? .null, "isOff": .bool($0.isOff),
                        "reason": $0.reason.map { .string($0) } ?? .null,
                    ]
                }),
            "obstacle": found?.obstacle.map { .string($0) } ?? .null,
            "checkedAt": found.map { .string(JMAPDate.write($0.at)) } ?? .null,
            "problem": failure.map { .string($0.sentence) } ?? .null,
            "problemSince": failure.map { .string(JMAPDate.write($0.since)) } ?? .null,
        ]
    }

    private func json(_ script: RemoteScripts.Script) -> [String: JSONValue] {
        let isOurs = script.name == Self.scriptName && found?.isForeign == false
        return ["name": .string(script.name), "isActive": .bool(script.isActive), "isOurs": .bool(isOurs)]
    }
}

extension ServiceRules.Found.Question {
    fileprivate var json: JSONValue {
        switch self {
        case .replace(let digest): ["kind": "replace", "subject": .string(digest)]
        case .displace(let name): ["kind": "displace", "subject": .string(name)]
        }
    }

    fileprivate init?(_ json: JSONValue) {
        guard let subject = json["subject"]?.stringValue else { return nil }
        switch json["kind"]?.stringValue {
        case "replace": self = .replace(digest: subject)
        case "displace": self = .displace(name: subject)
        default: return nil
        }
    }
}

private struct ServiceRulesSetter: SoleRecordSetter {
    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        guard patch.count == 1, let (key, value) = patch.first else {
            throw .invalidProperty("isWanted", "or agreesTo is all that can be set, one at a time")
        }
        let service = context.kernel.rulebook.service
        switch key {
        case "isWanted":
            guard let isWanted = value.boolValue else { throw .invalidProperty(key, "must be a boolean") }
            try await SetError.wrapping { try await service.setWanted(isWanted, in: accountID) }
        case "agreesTo":
            guard let question = ServiceRules.Found.Question(value) else {
                throw .invalidProperty(key, "must be the question as it was asked")
            }
            let isAsked = try await SetError.wrapping {
                try await service.agree(to: question, in: accountID)
            }
            guard isAsked else { throw .invalidProperty(key, "is no longer the question") }
        default: throw .invalidProperty(key, "cannot be set")
        }
        return .null
    }
}
