import FoundationEssentials
import MailKernelAPI

let signInCases: [ConformanceCase] = [
    ConformanceCase(
        .account, "setupNamesTheService", "The setup has a title and a name, and help over HTTPS."
    ) {
        let setup = try SignIn.provider($0).setup
        try expect(!setup.title.isEmpty, "setup: expected a title, found none")
        try expect(!setup.serviceName.isEmpty, "setup: expected the name of the service, found none")
        if let help = setup.helpURL {
            try expect(help.scheme == "https", "setup: expected help over https, found \(help)")
        }
    },
    ConformanceCase(
        .account, "formsCanBeFilledIn", "Fields of forms have names of their own, labels and choices."
    ) {
        guard let form = try await SignIn($0).firstForm() else {
            throw NotApplicable("signing in does not begin with a form")
        }
        try expect(!form.fields.isEmpty, "authorize: expected a form to have fields, found none")
        let names = form.fields.map(\.name)
        try expect(
            Set(names).count == names.count, "authorize: expected each field's name once, found \(names)")
        for field in form.fields {
            try expect(
                !field.name.isEmpty && !field.label.isEmpty, "authorize: a field has no name or no label")
            if case .choice(let choices) = field.kind {
                try expect(!choices.isEmpty, "authorize: the field “\(field.name)” offers no choices")
            }
        }
    },
    ConformanceCase(
        .account, "signingInNeedsNoMemoryOfItsOwn",
        "Each step works with a new provider: what has to be remembered is in the step's memory."
    ) {
        // Every step of `candidate()` is made with a provider of its own.
        _ = try await SignIn($0).candidate()
    },
    ConformanceCase(.account, "signingInStoresNothing", "Nothing is stored before the account is added.") {
        bench in
        let candidate = try await SignIn(bench).candidate()
        _ = try await SignIn.provider(bench).validate(candidate)
        try expectEqual(bench.secrets.names, [], "the plugin's secrets after authorize and validate")
    },
    ConformanceCase(
        .account, "aMissingAnswerIsInvalid",
        "Leaving out a required field throws “invalid” with the field's name, and stores nothing."
    ) { try await missingAnswer($0) },
    ConformanceCase(
        .account, "aWrongPasswordIsRefused", "A wrong password is refused, and nothing is stored."
    ) {
        try await wrongPassword($0)
    },
    ConformanceCase(
        .account, "settingsHoldNoSecret", "What the account's settings remember has no secret in it."
    ) { bench in
        let candidate = try await SignIn(bench).candidate()
        let settings = "\(candidate.settings)"
        for (name, secret) in candidate.secrets where secret.revealed.utf8.count >= 4 {
            try expect(
                !settings.contains(secret.revealed), "authorize: the settings contain the secret “\(name)”")
        }
    },
    ConformanceCase(
        .account, "validateNamesTheAccount",
        "Validating says the address, and who one can send as, that first."
    ) { bench in
        let candidate = try await SignIn(bench).candidate()
        let found = try await SignIn.provider(bench).validate(candidate)
        try expect(found.address.contains("@"), "validate: expected a mail address, found “\(found.address)”")
        try expectEqual(
            found.identities.first?.email.lowercased(), found.address.lowercased(), "the first identity")
        let addresses = found.identities.map { $0.email.lowercased() }
        try expect(Set(addresses).count == addresses.count, "validate: expected each identity once")
        let again = try await SignIn.provider(bench).validate(candidate)
        try expectEqual(again, found, "validating a second time")
    },
    ConformanceCase(
        .account, "aSessionWithoutItsSecretAsksToSignIn",
        "Without its secret a session throws “authenticationRequired”, so that the user can sign in again."
    ) { try await missingSecret($0) },
    accountCase("aLockedSecretStoreIsSaid", "A secret store that is locked is said with “secrets”.") {
        trial in
        guard !trial.secrets.names.isEmpty else { throw NotApplicable("the account has no secrets") }
        try await expectError(
            "mailboxes with a locked secret store", AccountError.self, where: { $0 == .secrets(.locked) }
        ) {
            let session = try await trial.provider.session(for: trial.account, secrets: LockedSecrets())
            return try await session.mailboxes()
        }
    },
    accountCase("aRestartFindsTheSameMailboxes", "A session made anew lists the same mailboxes and feeds.") {
        trial in
        let before = try await trial.session.mailboxes()
        let after = try await trial.anotherSession().mailboxes()
        try expectEqual(Set(after.mailboxes), Set(before.mailboxes), "the mailboxes after a restart")
        try expectEqual(Set(after.feeds), Set(before.feeds), "the feeds after a restart")
    },
]

private struct LockedSecrets: SecretStore {
    func secret(named name: String) throws(SecretError) -> Secret? { throw .locked }
    func store(_ secret: Secret, named name: String) throws(SecretError) { throw .locked }
    func removeSecret(named name: String) throws(SecretError) { throw .locked }
}

private func missingAnswer(_ bench: ConformanceBench) async throws {
    guard let form = try await SignIn(bench).firstForm() else {
        throw NotApplicable("signing in does not begin with a form")
    }
    let required = form.fields.filter(\.isRequired)
    guard !required.isEmpty else { throw NotApplicable("no field of the form is required") }
    let complete = try SignIn(bench).fill(form.fields)
    for field in required {
        for answer in [nil, Secret("")] {
            var answers = complete
            answers[field.name] = answer
            try await expectError(
                "authorize with “\(field.name)” \(answer == nil ? "missing" : "empty"): expected “invalid” for it",
                AccountError.self,
                where: { if case .invalid(field.name, let reason) = $0 { !reason.isEmpty } else { false } },
                { try await SignIn.provider(bench).authorize(.form(answers, memory: form.memory)) })
        }
    }
    try expectEqual(bench.secrets.names, [], "the plugin's secrets after forms that were refused")
}

private func wrongPassword(_ bench: ConformanceBench) async throws {
    var signIn = SignIn(bench)
    guard let form = try await signIn.firstForm() else {
        throw NotApplicable("signing in does not begin with a form")
    }
    let fields = form.fields.filter { $0.kind == .password && signIn.answers[$0.name] != nil }
    guard !fields.isEmpty else { throw NotApplicable("the form asks for no password") }
    for field in fields { signIn.answers[field.name] = Secret("this is not the password") }
    do {
        let candidate = try await signIn.candidate()
        _ = try await SignIn.provider(bench).validate(candidate)
    } catch let error as AccountError {
        switch error {
        case .authenticationRequired, .denied, .refused, .invalid: break
        default:
            throw ConformanceFailure("a wrong password: expected “authenticationRequired”, found \(error)")
        }
        try expectEqual(bench.secrets.names, [], "the plugin's secrets after a wrong password")
        return
    }
    throw ConformanceFailure("a wrong password: expected authorize or validate to throw, and both returned")
}

private func missingSecret(_ bench: ConformanceBench) async throws {
    let candidate = try await SignIn(bench).candidate()
    guard !candidate.secrets.isEmpty else { throw NotApplicable("the account has no secrets") }
    let provider = try SignIn.provider(bench)
    let validated = try await provider.validate(candidate)
    let account = Account(
        id: Id("conformance"), pluginID: "conformance", address: validated.address,
        displayName: validated.displayName, addedAt: bench.clock.now, settings: candidate.settings)
    func isRight(_ error: AccountError) -> Bool {
        if case .authenticationRequired = error { true } else { false }
    }
    try await expectError("mailboxes without the secret", AccountError.self, where: isRight) {
        let session = try await provider.session(for: account, secrets: MemorySecrets())
        return try await session.mailboxes()
    }
}
