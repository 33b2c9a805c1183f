import Accounts
import FoundationEssentials
import MailKernelAPI

extension Method {
    static let signIns = [
        Method("AccountSetup/get", .accounts, SignInMethods.getSetups),
        Method("SignIn/get", .accounts, SignInMethods.get),
        Method("SignIn/set", .accounts, SignInMethods.set),
    ]
}

/// How accounts are added and sign in again.
enum SignInMethods {
    static let setupProperties = [
        "id", "pluginId", "kind", "title", "serviceName", "explanation", "helpUrl",
    ]
    static let properties = [
        "id", "setupId", "accountId", "state", "fields", "url", "problem", "reason", "problemField",
        "addedAccountIds",
    ]
    /// Most steps are quick, so the response includes their result.
    private static let patience = 1.0

    @Sendable static func getSetups(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: setupProperties)
        try arguments.finish()
        let records = await context.kernel.accounts.setups.map { pluginID, setup in
            (id: SignIns.id(setup, of: pluginID), object: setup.json(pluginID))
        }
        // Plugins are loaded once, at the start.
        return try asked.answer(
            in: ProgramAccount.id, state: "loaded", records.filter { asked.ids?.contains($0.id) ?? true })
    }

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("sign in")
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let signIns = context.kernel.signIns
        let state = await signIns.state
        let all = await signIns.all.filter { asked.ids?.contains($0.id) ?? true }
        return try asked.answer(in: ProgramAccount.id, state: state.rawValue, all.map { ($0.id, $0.json) })
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("sign in")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let signIns = context.kernel.signIns
        let oldState = await signIns.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let signIn = try await begin(object, &context)
                context.createdIDs[creationID] = signIn.id
                answer.created[creationID] = .object(signIn.json.filter { object[$0.key] == nil })
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                try await update(id, patch, signIns)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            if await signIns.cancel(id) {
                answer.destroyed.append(id)
            } else {
                answer.notDestroyed[id] = .notFound
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await signIns.state.rawValue)
    }

    private static func begin(
        _ object: [String: JSONValue], _ context: inout RequestContext
    ) async throws(SetError) -> SignIn {
        guard let redirect = URL(string: context.urls.signIn) else {
            throw SetError("serverFail", "The browser could not return.")
        }
        let signIns = context.kernel.signIns
        let begun: SignIn
        switch (Set(object.keys), object["setupId"]?.stringValue, object["accountId"]?.stringValue) {
        case (["setupId"], let setup?, nil):
            begun = try await refusing("setupId") { () throws(SignInRefusal) in
                try await signIns.begin(setup: setup, redirect: redirect)
            }
        case (["accountId"], nil, let id?):
            let account: Account
            do {
                account = try await context.account(Id(id))
            } catch {
                throw error == .accountNotFound
                    ? .invalidProperty("accountId", "is not the id of an account") : SetError(error)
            }
            begun = try await refusing("accountId") { () throws(SignInRefusal) in
                try await signIns.begin(again: account, redirect: redirect)
            }
        default:
            throw .invalidProperty(
                "setupId", "or “accountId” is required, as an id, and nothing else is allowed")
        }
        return await signIns.settled(begun.id, within: patience) ?? begun
    }

    private static func update(
        _ id: String, _ patch: [String: JSONValue], _ signIns: SignIns
    ) async throws(SetError) {
        switch (Set(patch.keys), patch["form"]?.objectValue, patch["retry"]?.boolValue) {
        case (["form"], let form?, nil):
            let answers = form.compactMapValues(\.stringValue).mapValues { Secret($0) }
            guard answers.count == form.count else {
                throw .invalidProperty("form", "must contain strings")
            }
            try await refusing("form") { () throws(SignInRefusal) in
                try await signIns.answer(id, with: answers)
            }
        case (["retry"], nil, true?):
            try await refusing("retry") { () throws(SignInRefusal) in try await signIns.retry(id) }
        default:
            throw .invalidProperty(
                "form", "must be an object, or “retry” must be true, without any other change")
        }
        _ = await signIns.settled(id, within: patience)
    }

    private static func refusing<Value>(
        _ property: String, _ body: () async throws(SignInRefusal) -> Value
    ) async throws(SetError) -> Value {
        do {
            return try await body()
        } catch {
            switch error {
            case .notFound where property.hasSuffix("Id"):
                throw .invalidProperty(property, "is not offered by any plugin")
            case .notFound: throw .notFound
            case .tooMany:
                throw SetError("rateLimit", "Too many sign-ins are in progress. Cancel some of them.")
            case .notNow: throw .invalidProperty(property, "is not expected by this sign-in")
            case .unknownField(let name):
                throw .invalidProperty("form/\(name.prefix(60))", "is not a field of the form")
            }
        }
    }
}

extension MailJMAPService {
    public func browserReturned(_ items: [String: String]) async -> BrowserLanding {
        switch await kernel.signIns.returned(items) {
        case .done: BrowserLanding("You are signed in. You can close this window.")
        case .declined: BrowserLanding("You are not signed in. You can close this window.")
        case .working: BrowserLanding("You are being signed in. You can close this window.")
        case .goesOn: BrowserLanding("Continue in mailkernel. You can close this window.")
        case .failed(let problem):
            BrowserLanding(
                problem.sentence,
                [problem.reason, "You can close this window and try again in mailkernel."].compactMap(\.self))
        case .unknown:
            BrowserLanding(
                "This sign-in is not in progress",
                [
                    "It was already finished or canceled. You can close this window and start again in mailkernel."
                ],
                isKnown: false)
        }
    }
}

extension AccountSetup {
    fileprivate func json(_ pluginID: String) -> [String: JSONValue] {
        [
            "id": .string(SignIns.id(self, of: pluginID)), "pluginId": .string(pluginID),
            "kind": .string(kind.rawValue), "title": .string(title), "serviceName": .string(serviceName),
            "explanation": .string(explanation),
            "helpUrl": helpURL.map { .string($0.absoluteString) } ?? .null,
        ]
    }
}

extension SignIn {
    fileprivate var json: [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            "id": .string(id), "setupId": text(setupID), "accountId": text(accountID?.rawValue),
            "state": .string(phase.rawValue), "fields": fields.map { .array($0.map(\.json)) } ?? .null,
            "url": text(url?.absoluteString), "problem": text(problem?.sentence),
            "reason": text(problem?.reason), "problemField": text(problem?.field),
            "addedAccountIds": .array(addedAccountIDs.map { .string($0.rawValue) }),
        ]
    }
}

extension FormField {
    fileprivate var json: JSONValue {
        let (kind, choices): (String, JSONValue) =
            switch kind {
            case .text: ("text", .null)
            case .email: ("email", .null)
            case .password: ("password", .null)
            case .host: ("host", .null)
            case .port: ("port", .null)
            case .choice(let choices):
                (
                    "choice",
                    .array(choices.map { ["value": .string($0.value), "label": .string($0.label)] })
                )
            }
        return [
            "name": .string(name), "label": .string(label), "kind": .string(kind), "choices": choices,
            "initialValue": .string(initialValue), "isRequired": .bool(isRequired), "hint": .string(hint),
        ]
    }
}
