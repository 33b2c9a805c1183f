import FoundationEssentials
import MailKernelAPI

let signInCases: [ConformanceCase] = [
    ConformanceCase(
        .account, "setupsNameTheService",
        "There is a setup; each has a unique id, a title and a name, and help over HTTPS or in the program."
    ) {
        let setups = try SignIn.provider($0).setups
        try expect(!setups.isEmpty, "setups: expected at least one, found none")
        let ids = setups.map(\.id)
        try expect(Set(ids).count == ids.count, "setups: expected each id once, found \(ids)")
        for setup in setups {
            try expect(!setup.id.isEmpty, "setups: expected each to have an id, found one without")
            try expect(!setup.title.isEmpty, "setups: expected “\(setup.id)” to have a title")
            try expect(!setup.serviceName.isEmpty, "setups: expected “\(setup.id)” to name the service")
            if let help = setup.helpURL {
                let isOurs = help.scheme == nil && help.host == nil && help.path.hasPrefix("/docs/")
                try expect(
                    help.scheme == "https" || isOurs,
                    "setups: expected help over https or in /docs/, found \(help)")
            }
        }
    },
    ConformanceCase(
        .account, "aDemoAsksNothing", "A demo asks no questions, and each of its mailboxes opens."
    ) { try await demo($0) },
    ConformanceCase(
        .account, "formsCanBeFilledIn", "Form fields have unique names, labels and choices."
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
        "Each step works with a new provider: all state is in the step's memory."
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
        "Omitting a required field throws “invalid” with the field's name, and stores nothing."
    ) { try await missingAnswer($0) },
    ConformanceCase(
        .account, "aWrongPasswordIsRefused", "A wrong password is refused, and nothing is stored."
    ) {
        try await wrongPassword($0)
    },
    ConformanceCase(
        .account, "settingsHoldNoSecret", "The account's settings contain no secret."
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
        "Validating returns the address and the identities, with the address first."
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
        .account, "candidatesAreAccountsOfTheirOwn",
        "Each account of a sign-in validates, with a unique address."
    ) { bench in
        var addresses: [String] = []
        for candidate in try await SignIn(bench).candidates() {
            addresses.append(try await SignIn.provider(bench).validate(candidate).address.lowercased())
        }
        try expect(!addresses.isEmpty, "authorize: expected an account to come out, found none")
        try expect(
            Set(addresses).count == addresses.count,
            "validate: expected each address once, found \(addresses)"
        )
    },
    accountCase(
        "signingInAgainOffersTheAddress", "When an account signs in again, the form contains its address."
    ) { trial in
        guard case .form(let fields, _) = try await SignIn(trial.bench).begin(again: trial.account) else {
            throw NotApplicable("signing in again does not begin with a form")
        }
        guard let field = fields.first(where: { $0.kind == .email }) else {
            throw NotApplicable("the form asks for no address")
        }
        try expectEqual(field.initialValue, trial.account.address, "the address in the form")
    },
    accountCase(
        "signingInAgainIsTheSameAccount", "An account that signs in again keeps its address."
    ) { trial in
        var addresses: [String] = []
        for candidate in try await SignIn(trial.bench).candidates(again: trial.account) {
            addresses.append(try await trial.provider.validate(candidate).address)
        }
        try expect(
            addresses.contains(trial.account.address),
            "signing in again: expected \(trial.account.address) to come out, found \(addresses)")
    },
    ConformanceCase(
        .account, "aSessionWithoutItsSecretAsksToSignIn",
        "Without its secret a session throws “authenticationRequired”, so that the user can sign in again."
    ) { try await missingSecret($0) },
    accountCase("aLockedSecretStoreIsSaid", "A locked secret store is reported as “secrets”.") {
        trial in
        guard !trial.secrets.names.isEmpty else { throw NotApplicable("the account has no secrets") }
        try await expectError(
            "mailboxes with a locked secret store", AccountError.self, where: { $0 == .secrets(.locked) }
        ) {
            let session = try await trial.provider.session(for: trial.account, secrets: LockedSecrets())
            return try await session.mailboxes()
        }
    },
    accountCase("aRestartFindsTheSameMailboxes", "A new session lists the same mailboxes and feeds.") {
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

private func demo(_ bench: ConformanceBench) async throws {
    let demos = try SignIn.provider(bench).setups.filter { $0.kind == .demo }
    guard !demos.isEmpty else { throw NotApplicable("there is no demo") }
    for setup in demos {
        guard case .finished(let candidates) = try await SignIn(bench).begin(setup), !candidates.isEmpty
        else {
            throw ConformanceFailure("authorize for “\(setup.id)”: expected “finished” with an account")
        }
        for candidate in candidates {
            let account = try await SignIn.account(candidate, bench)
            let session = try await SignIn.provider(bench).session(
                for: account, secrets: SignIn.secrets(of: candidate))
            let listing = try await session.mailboxes()
            await session.close()
            try expect(!listing.mailboxes.isEmpty, "mailboxes: expected a demo to have some, found none")
        }
    }
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
        case .offline, .unreachable, .insecure, .throttled, .notFound, .cursorExpired, .badAnswer,
            .unsupported, .secrets, .cancelled, .local:
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
    let account = try await SignIn.account(candidate, bench)
    func isRight(_ error: AccountError) -> Bool {
        if case .authenticationRequired = error { true } else { false }
    }
    try await expectError("mailboxes without the secret", AccountError.self, where: isRight) {
        let session = try await provider.session(for: account, secrets: MemorySecrets())
        return try await session.mailboxes()
    }
}
