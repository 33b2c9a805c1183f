import Accounts
import FoundationEssentials
import MailKernelAPI

extension RecordType {
    /// How accounts can be added. Plugins are loaded once, at the start.
    static let accountSetup = RecordType(
        "AccountSetup", .accounts, of: .program, .fixed("loaded"),
        ["id", "pluginId", "kind", "title", "serviceName", "explanation", "helpUrl", "protocols"])
    static let signIn = RecordType(
        "SignIn", .accounts, of: .program,
        .running(SignIns.dataType) { kernel, _ in await kernel.signIns.state },
        [
            "id", "setupId", "accountId", "state", "fields", "url", "code", "page", "problem", "reason",
            "problemField", "addedAccountIds",
        ])
}

extension Method {
    /// How accounts are added and sign in again.
    static let signIns: [Method] = [
        .get(.accountSetup) { context, _, _ in
            await context.kernel.accounts.setups.map { pluginID, setup in
                (id: SignIns.id(setup, of: pluginID), object: setup.json(pluginID))
            }
        },
        Method(.signIn, "get") { context, arguments async throws(MethodError) in
            try context.requirePage("sign in")
            return try await context.get(.signIn, &arguments) { context, _, _ in
                await context.kernel.signIns.all.map { ($0.id, $0.json) }
            }
        },
        .set(.signIn, onlyPage: "sign in", with: SignInSetter()),
    ]
}

private struct SignInSetter: RecordSetter {
    /// Most steps are quick, so the response includes their result.
    private static let patience = 1.0

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let signIn = try await Self.begin(object, &context)
        return (signIn.id, signIn.json.filter { object[$0.key] == nil })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        try await Self.update(id, patch, context.kernel.signIns)
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        guard await context.kernel.signIns.cancel(id) else { throw .notFound }
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
            let account = try await account(id, &context)
            begun = try await refusing("accountId") { () throws(SignInRefusal) in
                try await signIns.begin(again: account, redirect: redirect)
            }
        case (["accountId", "setupId"], let setup?, let id?):
            let account = try await account(id, &context)
            begun = try await refusing("setupId") { () throws(SignInRefusal) in
                try await signIns.begin(changing: account, setup: setup, redirect: redirect)
            }
        case (let keys, _, nil) where keys.contains("discoveryId"):
            begun = try await begin(found: object, redirect, signIns)
        default:
            throw .invalidProperty(
                "setupId",
                "“discoveryId” or “accountId” is required, as an id, and only “setupId” may be beside it")
        }
        return await signIns.settled(begun.id, within: patience) ?? begun
    }

    private static func account(
        _ id: String, _ context: inout RequestContext
    ) async throws(SetError) -> Account {
        do {
            return try await context.account(Id(id))
        } catch {
            throw error == .accountNotFound
                ? .invalidProperty("accountId", "is not the id of an account") : SetError(error)
        }
    }

    /// With the service that was found for an address.
    private static func begin(
        found object: [String: JSONValue], _ redirect: URL, _ signIns: SignIns
    ) async throws(SetError) -> SignIn {
        guard Set(object.keys).isSubset(of: ["discoveryId", "setupId", "isToBeChanged"]),
            let id = object["discoveryId"]?.stringValue,
            let changes = object["isToBeChanged", default: false].boolValue
        else { throw .invalidProperty("discoveryId", "must be an id, and “isToBeChanged” true or false") }
        let setup = object["setupId"]?.stringValue
        return try await refusing("discoveryId") { () throws(SignInRefusal) in
            try await signIns.begin(discovery: id, setup: setup, changing: changes, redirect: redirect)
        }
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
            "protocols": .array(protocols.map { .string($0.rawValue) }),
        ]
    }
}

extension SignIn {
    fileprivate var json: [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            "id": .string(id), "setupId": text(setupID), "accountId": text(accountID?.rawValue),
            "state": .string(phase.rawValue), "fields": fields.map { .array($0.map(\.json)) } ?? .null,
            "url": text(url?.absoluteString), "code": text(code?.code),
            "page": text(code?.page.absoluteString), "problem": text(problem?.sentence),
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
