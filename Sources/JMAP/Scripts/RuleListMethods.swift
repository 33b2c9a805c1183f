import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// The active script of an account as rules: one object.
    static let ruleList = RecordType(
        "RuleList", .rules, .stored(UserScripts.dataType),
        ["id", "scriptId", "name", "text", "entries", "archive", "trash"])
    /// Why rules last did not do what they say.
    static let ruleProblem = RecordType(
        "RuleProblem", .rules, .stored(RuleProblem.dataType), ["id", "rule", "sentence", "at", "count"])
}

extension Method {
    static let rules: [Method] = [
        .get(.ruleList) { context, accountID, _ async throws(MethodError) in
            let book = context.kernel.rulebook
            let (script, paths) = try await context.reading { _ throws(StorageError) in
                (try await book.scripts.active(in: accountID), try await book.paths(in: accountID))
            }
            return [(singletonID, RuleListMethods.json(script, paths))]
        },
        .set(.ruleList, with: RuleListSetter()),
        Method(.ruleList, "rehearse", RuleListMethods.rehearse),
        Method(.ruleList, "apply", RuleListMethods.apply),
        .get(.ruleProblem) { context, accountID, _ async throws(MethodError) in
            let book = context.kernel.rulebook
            return try await context.reading { _ throws(StorageError) in
                try await book.problems(in: accountID)
            }.map { problem in
                (
                    problem.id,
                    [
                        "id": .string(problem.id), "rule": .string(problem.rule),
                        "sentence": .string(problem.sentence), "at": .string(JMAPDate.write(problem.at)),
                        "count": .number(Double(problem.count)),
                    ]
                )
            }
        },
    ]
}

enum RuleListMethods {
    static func json(_ script: UserScript?, _ paths: MailboxPaths) -> [String: JSONValue] {
        let places = paths.places
        let text = script?.text ?? ""
        let entries = (try? RuleSheet(text, places: places))?.entries ?? [.text(text)]
        return [
            "id": .string(singletonID), "scriptId": script.map { .string($0.id) } ?? .null,
            "name": script.map { .string($0.name) } ?? .null, "text": .string(text),
            "entries": .array(entries.map { .object($0.json) }),
            "archive": .string(places.archive), "trash": .string(places.trash),
        ]
    }

    /// The script of a call: that of one rule, or a text.
    private static func script(
        _ arguments: inout Arguments, _ paths: MailboxPaths
    ) throws(MethodError) -> String {
        let (rule, text) = (try arguments.object("rule"), try arguments.string("text"))
        switch (rule, text) {
        case (let rule?, nil):
            do throws(ScriptProblem) {
                return try RuleSheet.text(ofRule: .object(rule), places: paths.places)
            } catch {
                throw MethodError("invalidArguments", error.sentence, details: ["arguments": ["rule"]])
            }
        case (nil, let text?): return text
        default: throw .invalidArguments("rule", "or text is required, and only one of them is allowed")
        }
    }

    @Sendable static func rehearse(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let book = context.kernel.rulebook
        let paths = try await context.reading { _ throws(StorageError) in try await book.paths(in: account.id)
        }
        let text = try script(&arguments, paths)
        let limit = try arguments.unsignedInt("limit") ?? Rehearsal.most
        try arguments.finish()
        let result = try await wrapping {
            try await book.rehearsal.run(text, in: account.id, limit: limit)
        }
        return [
            "accountId": .string(account.id.rawValue), "examined": .number(Double(result.examined)),
            "matched": .number(Double(result.matched)),
            "emailIds": .array(result.emailIDs.map { .string($0.rawValue) }),
            "inboxIds": .array(result.inboxIDs.map { .string($0.rawValue) }),
            "keptIds": .array(result.keptIDs.map { .string($0.rawValue) }),
        ]
    }

    @Sendable static func apply(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        let book = context.kernel.rulebook
        let paths = try await context.reading { _ throws(StorageError) in try await book.paths(in: account.id)
        }
        let text = try script(&arguments, paths)
        let emailIDs = try arguments.required(try arguments.ids("emailIds"), "emailIds")
        let reach: PastMail.Reach = try arguments.bool("isEverywhere") ? .everywhere : .inbox
        try arguments.finish()
        guard emailIDs.count <= Rehearsal.mostApplied else { throw .tooManyObjects(Rehearsal.mostApplied) }
        let result = try await wrapping {
            try await book.pastMail.apply(text, to: emailIDs.map { Id($0) }, reach, in: account.id)
        }
        return [
            "accountId": .string(account.id.rawValue), "changed": .number(Double(result.changed)),
            "actionIds": .array(result.actions.map { .string($0.id.rawValue) }),
            "problems": .array(result.problems.map { .string($0) }),
            "failure": result.failure.map { .string(sentence($0)) } ?? .null,
        ]
    }

    private static func sentence(_ error: any Error) -> String {
        let error = methodError(error)
        return error.description ?? "The request was refused (\(error.type))."
    }

    private static func methodError(_ error: any Error) -> MethodError {
        switch error {
        case let problem as ScriptProblem: MethodError("invalidArguments", problem.sentence)
        case let error as StorageError: MethodError(error)
        default: MethodError("serverFail", "\(error)")
        }
    }

    private static func wrapping<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(MethodError) -> Value {
        do {
            return try await action()
        } catch {
            throw methodError(error)
        }
    }
}

/// Replaces the rules, as entries or as a whole text. What no rule can express stays as it was written.
private struct RuleListSetter: SoleRecordSetter {
    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        guard patch.count == 1, let (key, value) = patch.first, key == "entries" || key == "text" else {
            throw .invalidProperty("entries", "or text is all that can be set, one at a time")
        }
        let book = context.kernel.rulebook
        return try await SetError.again { () async throws(SetError) -> JSONValue in
            try await SetError.wrapping {
                do {
                    let old = try await book.scripts.active(in: accountID)
                    let paths = try await book.paths(in: accountID)
                    let entries = value.arrayValue ?? []
                    let text =
                        try key == "text"
                        ? value.stringValue ?? ""
                        : RuleSheet.text(
                            withEntries: entries, insteadOf: old?.text ?? "", places: paths.places)
                    try await Self.keep(text, insteadOf: old, in: accountID, book)
                    return JSONValue.null
                } catch let problem as ScriptProblem {
                    throw SetError(problem)
                }
            }
        }
    }

    private static func keep(
        _ text: String, insteadOf old: UserScript?, in accountID: Id<Account>, _ book: Rulebook
    ) async throws {
        guard let old else {
            _ = try await book.scripts.create(name: nil, text: text, isActive: true, in: accountID)
            return
        }
        try await book.scripts.update(old.id, in: accountID) { script in
            guard script.text == old.text, script.isActive else { throw SetError("stateMismatch") }
            script.text = text
        }
    }
}
