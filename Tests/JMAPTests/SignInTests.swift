import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Accounts
@testable import Kernel
@testable import Network

/// A provider that answers as a test says, and adds accounts of a server in memory.
private final class ScriptedProvider: AccountProvider {
    struct Script {
        var steps: [Result<AuthorizationStep, AccountError>] = []
        var validations: [AccountError?] = []
        var asked: [AuthorizationAnswer] = []
        /// The next call waits until its task is cancelled.
        var hangs = false
    }

    static let id = "org.example.scripted"
    static let redirected = URL(string: "https://id.example.org/auth?client=1&state=s3cr3t-state")

    let script = Watched(Script())
    private let memory: MemoryAccountProvider

    init(_ server: MemoryMailServer) {
        memory = MemoryAccountProvider(server: server)
    }

    let setups = [
        AccountSetup(
            id: "mail", title: "Add your Example account", serviceName: "Example",
            helpURL: URL(string: "https://example.org/help"))
    ]

    static let form = AuthorizationStep.form(
        [
            FormField(name: "address", label: "Address", kind: .email),
            FormField(name: "password", label: "Password", kind: .password, hint: "That of the mailbox."),
            FormField(
                name: "security", label: "Security",
                kind: .choice([.init(value: "tls", label: "TLS"), .init(value: "start", label: "STARTTLS")]),
                initialValue: "tls"),
            FormField(name: "port", label: "Port", kind: .port, isRequired: false),
        ], memory: Secret("what-the-form-knows"))
    static let browser = AuthorizationStep.browser(
        redirected ?? URL(filePath: "/"), memory: Secret("the-verifier"))

    static func finished(_ addresses: String..., password: String = "lovelace") -> AuthorizationStep {
        .finished(
            addresses.map {
                AccountCandidate(
                    settings: ["address": .string($0)],
                    secrets: ["password": Secret($0.hasPrefix("grace") ? "hopper" : password)])
            })
    }

    func next(_ steps: AuthorizationStep...) { script.withLock { $0.steps += steps.map(Result.success) } }
    func next(_ error: AccountError) { script.withLock { $0.steps.append(.failure(error)) } }
    func validate(_ errors: AccountError?...) { script.withLock { $0.validations += errors } }
    var asked: [AuthorizationAnswer] { script.withLock { $0.asked } }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        if case .shown = step, script.withLock({ $0.steps.isEmpty }) {
            script.withLock { $0.asked.append(step) }
            while script.withLock({ $0.steps.isEmpty }) {
                do { try await Task.sleep(for: .milliseconds(5)) } catch { throw .cancelled }
            }
            return try script.withLock { $0.steps.removeFirst() }.get()
        }
        let (next, hangs) = script.withLock { script in
            script.asked.append(step)
            return (script.steps.isEmpty ? nil : script.steps.removeFirst(), script.hangs)
        }
        if hangs {
            await untilCancelled()
            throw .cancelled
        }
        guard let next else { throw .badAnswer("the script has ended") }
        return try next.get()
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let error = script.withLock { $0.validations.isEmpty ? nil : $0.validations.removeFirst() }
        if let error { throw error }
        return try memory.validate(candidate)
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        try memory.session(for: account, secrets: secrets)
    }
}

/// A program without accounts, and a provider under a test's control.
private struct Trial {
    let test: TestKernel
    let provider: ScriptedProvider
    let secrets: SecretDrawers

    init(on disk: MemoryStorage.Disk = MemoryStorage.Disk()) async throws {
        let server = MemoryMailServer(
            logins: MemoryAccountPlugin.logins, layout: .labels, batchSize: 50, lacking: [],
            clock: ManualClock())
        server.fill("ada@example.org", count: 3)
        secrets = SecretDrawers()
        provider = ScriptedProvider(server)
        test = try await TestKernel(
            on: disk, server: server, secrets: secrets, hasAccounts: false,
            providers: [ScriptedProvider.id: provider])
    }

    func set(_ arguments: JSONValue, as client: JMAPClient = TestKernel.page) async throws -> CallAnswer {
        try await test.program("SignIn/set", arguments, as: client)
    }

    func begin() async throws -> JSONValue {
        let answer = try await set(["create": ["k": ["setupId": "org.example.scripted/mail"]]])
        return try #require(answer["created"]["k"], "\(answer.arguments)")
    }

    func update(_ id: JSONValue, _ patch: JSONValue) async throws -> CallAnswer {
        try await set(["update": [try #require(id.stringValue): patch]])
    }

    func now(_ id: JSONValue) async throws -> JSONValue {
        let answer = try await test.program("SignIn/get", ["ids": [id]])
        return answer["list"][0] ?? .null
    }

    func addresses() async throws -> [String] {
        try await test.kernel.store.read.accounts().map(\.address).sorted()
    }

    static let answers: JSONValue = [
        "address": "ada@example.org", "password": "lovelace", "security": "tls", "port": "",
    ]
}

/// FR-OB-01, AC-U-13, AC-U-14a: how an account is added.
@Suite("Accounts are added by signing in") struct SignInTests {
    @Test func theWaysToAddAnAccountAreListed() async throws {
        let trial = try await Trial()
        let list = try await trial.test.program("AccountSetup/get")["list"]
        #expect(
            list[2] == [
                "id": "org.example.scripted/mail", "pluginId": "org.example.scripted", "kind": "account",
                "title": "Add your Example account", "serviceName": "Example", "explanation": "",
                "helpUrl": "https://example.org/help", "protocols": [],
            ])
        #expect(list[1]?["kind"] == "demo" && list.arrayValue?.count == 3)
    }

    @Test func aFormIsAskedAnsweredAndTheAccountIsThere() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.form, ScriptedProvider.finished("ada@example.org"))
        let begun = try await trial.begin()
        #expect(begun["state"] == "form" && begun["url"] == .null && begun["problem"] == .null)
        #expect(
            begun["fields"]?[2]?["choices"]?[1] == ["value": "start", "label": "STARTTLS"]
                && begun["fields"]?[1]?["kind"] == "password" && begun["fields"]?[1]?["choices"] == .null)
        let answer = try await trial.update(begun["id"] ?? .null, ["form": Trial.answers])
        #expect(answer["updated"].keys.count == 1, "\(answer.arguments)")
        let done = try await trial.now(begun["id"] ?? .null)
        #expect(done["state"] == "done" && done["problem"] == .null && done["fields"] == .null)
        #expect(try await trial.addresses() == ["ada@example.org"])
        let id = try #require(done["addedAccountIds"]?.strings.first)
        #expect(trial.secrets.drawer(Id(id)).secret(named: "password")?.revealed == "lovelace")
        // What was asked went to the provider, with what it remembered.
        guard case .form(let values, let memory) = trial.provider.asked.last else {
            Issue.record("the form was not handed over")
            return
        }
        #expect(values["password"]?.revealed == "lovelace" && memory.revealed == "what-the-form-knows")
    }

    @Test func wrongAnswersStayInTheForm() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.form)
        trial.provider.next(.invalid(field: "address", reason: "This is not a mail address."))
        let id = try await trial.begin()["id"] ?? .null
        let wrong: [(JSONValue, String, String)] = [
            (["password": "x", "security": "tls"], "address", "Please fill in “Address”."),
            (
                ["address": "a", "password": "x", "security": "none"], "security",
                "Please choose an option for “Security”."
            ),
            (
                ["address": "a", "password": "x", "security": "tls", "port": "70000"], "port",
                "“Port” must be a number from 1 to 65535."
            ),
            (["address": "a", "password": "x", "security": "tls"], "address", "This is not a mail address."),
        ]
        for (form, field, sentence) in wrong {
            _ = try await trial.update(id, ["form": form])
            let now = try await trial.now(id)
            #expect(now["state"] == "form" && now["problemField"] == .string(field))
            #expect(now["problem"] == .string(sentence))
        }
        // What was typed is offered again, but for passwords.
        let fields = try await trial.now(id)["fields"]
        #expect(fields?[0]?["initialValue"] == "a" && fields?[1]?["initialValue"] == "")
        for patch in [
            ["form": ["nothing": "x"]], ["form": ["address": 5]], ["form": "x"], ["retry": true], [:],
            ["form": [:], "retry": true],
        ] as [JSONValue] {
            let answer = try await trial.update(id, patch)
            #expect(answer["notUpdated"].objectValue?.first?.value["type"] == "invalidProperties", "\(patch)")
        }
    }

    @Test func theBrowserComesBack() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.browser, ScriptedProvider.finished("ada@example.org"))
        let begun = try await trial.begin()
        #expect(begun["state"] == "browser")
        #expect(begun["url"] == "https://id.example.org/auth?client=1&state=s3cr3t-state")
        guard case .begin(let request) = trial.provider.asked.first else {
            Issue.record("it was not begun")
            return
        }
        #expect(request.redirect.absoluteString == TestKernel.urls.signIn && request.setupID == "mail")
        for items in [[:], ["state": ""], ["state": "other", "code": "1"], ["code": "1"]] {
            #expect(await !trial.test.jmap.browserReturned(items).isKnown)
        }
        let landing = await trial.test.jmap.browserReturned(["state": "s3cr3t-state", "code": "4/x"])
        #expect(landing == BrowserLanding("You are signed in. You can close this window."))
        #expect(try await trial.now(begun["id"] ?? .null)["state"] == "done")
        guard case .redirected(let items, let memory) = trial.provider.asked.last else {
            Issue.record("the redirect was not handed over")
            return
        }
        #expect(items["code"] == "4/x" && memory.revealed == "the-verifier")
        // It is good once.
        #expect(await !trial.test.jmap.browserReturned(["state": "s3cr3t-state", "code": "4/x"]).isKnown)
    }

    /// ACC-14: a code is shown for as long as the service waits for it.
    @Test func aCodeIsShownUntilItWasEntered() async throws {
        let trial = try await Trial()
        let page = try #require(URL(string: "https://id.example.org/device"))
        let filled = try #require(URL(string: "https://id.example.org/device?code=AB-CD"))
        trial.provider.next(
            .code(SignInCode(code: "AB-CD", page: page, filledPage: filled), memory: Secret("the-code")))
        let begun = try await trial.begin()
        #expect(begun["state"] == "code" && begun["code"] == "AB-CD")
        #expect(begun["page"] == .string(page.absoluteString))
        #expect(begun["url"] == .string(filled.absoluteString))
        let id = begun["id"] ?? .null
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        try await polling(until: "the code is no longer waited for") {
            try await trial.now(id)["state"] != "code"
        }
        _ = await trial.test.kernel.signIns.settled(try #require(id.stringValue), within: 30)
        let done = try await trial.now(id)
        #expect(done["state"] == "done" && done["code"] == .null && done["url"] == .null, "\(done)")
        guard case .shown(let memory) = trial.provider.asked.last else {
            Issue.record("the code was not waited for")
            return
        }
        #expect(memory.revealed == "the-code")
    }

    /// ACC-14
    @Test func aRefusedCodeLeadsBack() async throws {
        let trial = try await Trial()
        let page = try #require(URL(string: "https://id.example.org/device"))
        trial.provider.next(.code(SignInCode(code: "AB-CD", page: page)))
        let id = try await trial.begin()["id"] ?? .null
        trial.provider.next(.denied)
        try await polling(until: "the code is no longer waited for") {
            try await trial.now(id)["state"] != "code"
        }
        let now = try await trial.now(id)
        #expect(now["state"] == "failed" && now["problem"] == .null && now["code"] == .null)
    }

    /// E-SO-01: back to where accounts are added, without a word; another try is open.
    @Test func whoDeclinesIsNotToldSo() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.browser)
        trial.provider.next(.denied)
        let id = try await trial.begin()["id"] ?? .null
        let landing = await trial.test.jmap.browserReturned([
            "state": "s3cr3t-state", "error": "access_denied",
        ])
        #expect(landing.title == "You are not signed in. You can close this window.")
        let now = try await trial.now(id)
        #expect(now["state"] == "failed" && now["problem"] == .null && now["reason"] == .null)
        #expect(try await trial.addresses() == [])
        trial.provider.next(ScriptedProvider.browser)
        _ = try await trial.update(id, ["retry": true])
        #expect(try await trial.now(id)["state"] == "browser")
    }

    /// E-SO-02, E-SO-03 and the error table of FR-OB-01, word for word. Nothing is half added.
    @Test(
        arguments: [
            (.offline, nil, "Network unavailable. Check your connection and try again.", nil),
            (
                .unreachable(host: "id.example.org", reason: "it is down"), nil,
                "Network unavailable. Check your connection and try again.",
                "id.example.org does not respond: it is down."
            ),
            (
                .throttled(until: nil), nil, "Authentication failed. Please try again.",
                "The service is busy. Try again in a few minutes."
            ),
            (
                .refused("invalid_grant"), nil, "Authentication failed. Please try again.",
                "The server refused: invalid_grant"
            ),
            (
                nil, .authenticationRequired(reason: "IMAP is off"),
                "Couldn't connect to Example. Please check account permissions.",
                "The sign-in was refused: IMAP is off."
            ),
            (
                nil, .unreachable(host: "imap.example.org", reason: "no server responded on port 993"),
                "Couldn't connect to Example.",
                "imap.example.org does not respond: no server responded on port 993."
            ),
            (nil, .offline, "Network unavailable. Check your connection and try again.", nil),
        ] as [(AccountError?, AccountError?, String, String?)])
    func whatGoesWrongHasItsSentence(
        _ authorizing: AccountError?, _ validating: AccountError?, _ sentence: String, _ reason: String?
    ) async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.browser)
        if let authorizing {
            trial.provider.next(authorizing)
        } else {
            trial.provider.next(ScriptedProvider.finished("ada@example.org"))
            trial.provider.validate(validating)
        }
        let id = try await trial.begin()["id"] ?? .null
        let landing = await trial.test.jmap.browserReturned(["state": "s3cr3t-state", "code": "1"])
        #expect(landing.isKnown && landing.title == sentence)
        let failed = try await trial.now(id)
        #expect(failed["state"] == "failed" && failed["problem"] == .string(sentence))
        #expect(failed["reason"] == (reason.map { .string($0) } ?? .null))
        #expect(try await trial.addresses() == [] && trial.secrets.owners == [])
        // Trying again leads to the account.
        trial.provider.next(ScriptedProvider.browser, ScriptedProvider.finished("ada@example.org"))
        _ = try await trial.update(id, ["retry": true])
        if try await trial.now(id)["state"] == "browser" {
            _ = await trial.test.jmap.browserReturned(["state": "s3cr3t-state", "code": "1"])
        }
        #expect(try await trial.now(id)["state"] == "done")
        #expect(try await trial.addresses() == ["ada@example.org"])
    }

    @Test func aPasswordIsNotAskedAgainForTheNetworksSake() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.form)
        trial.provider.next(.offline)
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let id = try await trial.begin()["id"] ?? .null
        _ = try await trial.update(id, ["form": Trial.answers])
        #expect(try await trial.now(id)["state"] == "failed")
        _ = try await trial.update(id, ["retry": true])
        #expect(try await trial.now(id)["state"] == "done")
    }

    @Test func ofSeveralAccountsThoseThatWorkAreAdded() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.finished("ada@example.org", "grace@example.org"))
        trial.provider.validate(nil, .authenticationRequired(reason: "no"))
        let begun = try await trial.begin()
        #expect(begun["state"] == "done" && begun["addedAccountIds"]?.strings.count == 1)
        #expect(
            begun["problem"] == "Couldn't connect to Example. Please check account permissions.")
        #expect(try await trial.addresses() == ["ada@example.org"])
        trial.provider.next(ScriptedProvider.finished("ADA@example.org"))
        let again = try await trial.begin()
        #expect(again["problem"] == "You already have an account for ada@example.org.")
    }

    @Test func oneAddressIsAddedOnceHoweverManySignIn() async throws {
        let trial = try await Trial()
        let count = 8
        for _ in 0..<count { trial.provider.next(ScriptedProvider.finished("ada@example.org")) }
        let setup: JSONValue = ["setupId": "org.example.scripted/mail"]
        let answer = try await trial.set([
            "create": .object(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", setup) }))
        ])
        #expect(answer["created"].keys.count == count)
        try await trial.test.wait(for: "all") {
            try await trial.test.program("SignIn/get")["list"].arrayValue?.allSatisfy {
                $0["state"] == "done" || $0["state"] == "failed"
            } == true
        }
        #expect(try await trial.addresses() == ["ada@example.org"] && trial.secrets.owners.count == 1)
    }

    @Test func cancellingEndsIt() async throws {
        let trial = try await Trial()
        trial.provider.script.withLock { $0.hangs = true }
        let creating = Task { try await trial.begin() }
        try await trial.test.wait(for: "the sign-in") { await !trial.test.kernel.signIns.all.isEmpty }
        let id = try #require(await trial.test.kernel.signIns.all.first?.id)
        let answer = try await trial.set(["destroy": [.string(id), "none"]])
        #expect(answer["destroyed"].strings == [id] && answer["notDestroyed"]["none"]?["type"] == "notFound")
        #expect(try await creating.value["id"] == .string(id))
        #expect(await trial.test.kernel.signIns.all.isEmpty)
        #expect(try await trial.addresses() == [])
    }

    @Test func forgottenSignInsDoNotPileUp() async throws {
        let trial = try await Trial()
        for _ in 0..<16 {
            trial.provider.next(ScriptedProvider.form)
            _ = try await trial.begin()
        }
        let refused = try await trial.set(["create": ["k": ["setupId": "org.example.scripted/mail"]]])
        #expect(refused["notCreated"]["k"]?["type"] == "rateLimit")
        trial.test.clock.advance(by: 3601)
        trial.provider.next(ScriptedProvider.form)
        #expect(try await trial.begin()["state"] == "form")
        #expect(await trial.test.kernel.signIns.all.count == 1)
    }

    @Test func aSignInThatNeverAnswersIsForgottenToo() async throws {
        let trial = try await Trial()
        trial.provider.script.withLock { $0.hangs = true }
        let redirect = URL(filePath: "/")
        for _ in 0..<16 {
            _ = try await trial.test.kernel.signIns.begin(
                setup: "org.example.scripted/mail", redirect: redirect)
        }
        try await trial.test.wait(for: "all to hang") { trial.provider.asked.count == 16 }
        trial.test.clock.advance(by: 3601)
        trial.provider.script.withLock { $0.hangs = false }
        trial.provider.next(ScriptedProvider.form)
        #expect(try await trial.begin()["state"] == "form")
        #expect(await trial.test.kernel.signIns.all.count == 1)
    }

    /// What was typed into a form that came to nothing may not be contacted afterwards.
    @Test func hostsAreAllowedNoLongerThanTheirSignInOrTheirAccount() async throws {
        let trial = try await Trial()
        let entered = trial.test.kernel.accounts.hosts.entered
        func allowed(_ name: String) -> Bool {
            entered.allows("\(name).example.org", for: ScriptedProvider.id)
        }
        let form = AuthorizationStep.form(
            [
                FormField(name: "address", label: "Address", kind: .email),
                FormField(name: "server", label: "Server", kind: .host),
            ], memory: Secret("m"))
        func answer(_ id: JSONValue, _ name: String) async throws {
            _ = try await trial.update(
                id, ["form": ["address": "ada@example.org", "server": .string("\(name).example.org")]])
        }
        trial.provider.next(form, form, ScriptedProvider.finished("ada@example.org"))
        let first = try await trial.begin()["id"] ?? .null
        try await answer(first, "mistyped")
        #expect(allowed("mistyped"))
        try await answer(first, "right")
        #expect(try await trial.now(first)["state"] == "done")
        #expect(allowed("right") && !allowed("mistyped"))
        _ = try await trial.set(["destroy": [first]])
        #expect(allowed("right"), "the account has it")

        trial.provider.next(form, form)
        let second = try await trial.begin()["id"] ?? .null
        try await answer(second, "other")
        #expect(allowed("other"))
        _ = try await trial.set(["destroy": [second]])
        #expect(!allowed("other") && allowed("right"))

        let account = try #require(try await trial.test.kernel.store.read.accounts().first)
        try await trial.test.kernel.accounts.remove(account.id)
        #expect(!allowed("right"))
    }

    @Test func whatAPluginAnswersIsNotTrusted() async throws {
        let trial = try await Trial()
        let field = FormField(name: "a", label: "A", kind: .text)
        let steps: [AuthorizationStep] = [
            .form([], memory: Secret("")), .form([field, field], memory: Secret("")), .finished([]),
            .browser(URL(filePath: "/etc/passwd"), memory: Secret("")),
            .browser(try #require(URL(string: "javascript:alert(1)?state=x")), memory: Secret("")),
            .browser(try #require(URL(string: "https://example.org/auth")), memory: Secret("")),
            .code(SignInCode(code: "A", page: try #require(URL(string: "http://example.org")))),
            .code(SignInCode(code: "A\nB", page: try #require(URL(string: "https://example.org")))),
        ]
        for step in steps {
            trial.provider.next(step)
            let begun = try await trial.begin()
            #expect(begun["state"] == "failed" && begun["url"] == .null, "\(step)")
            #expect(begun["problem"] == "Authentication failed. Please try again.")
        }
    }

    @Test func onlyThePageSignsIn() async throws {
        let trial = try await Trial()
        let program = JMAPClient(name: "program", mayWrite: true, isPage: false)
        #expect(try await trial.test.program("SignIn/get", as: program).error == "forbidden")
        #expect(try await trial.set(["create": ["k": [:]]], as: program).error == "forbidden")
        for wrong in [
            [:], ["setupId": "none"], ["setupId": 5], ["accountId": "none"],
            ["setupId": "org.example.scripted/mail", "accountId": "x"],
        ] as [JSONValue] {
            let answer = try await trial.set(["create": ["k": wrong]])
            #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties", "\(wrong)")
        }
    }

    @Test func noAnswerHoldsASecret() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.form, ScriptedProvider.browser)
        trial.provider.next(.refused("wrong"))
        let id = try await trial.begin()["id"] ?? .null
        var seen = [try await trial.now(id)]
        let update = try await trial.update(id, ["form": Trial.answers])
        seen += [update.arguments, try await trial.now(id)]
        _ = await trial.test.jmap.browserReturned(["state": "s3cr3t-state", "code": "the-code"])
        seen.append(try await trial.now(id))
        _ = try await trial.update(id, ["retry": true])
        seen.append(try await trial.now(id))
        #expect(seen.last?["state"] == "form")
        let text = String(decoding: try JSONEncoder().encode(seen), as: UTF8.self)
        for secret in ["lovelace", "what-the-form-knows", "the-verifier", "the-code"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    /// AC-U-14a, E-SO-17: an account signs in again, as itself and as no other.
    @Test func anAccountSignsInAgain() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let account = try #require(try await trial.begin()["addedAccountIds"]?[0])
        let again: JSONValue = ["create": ["k": ["accountId": account]]]
        trial.provider.next(ScriptedProvider.finished("grace@example.org"))
        let other = try await trial.set(again)["created"]["k"]
        #expect(other?["state"] == "failed" && other?["accountId"] == nil)
        #expect(other?["problem"]?.stringValue?.contains("grace@example.org") == true)
        #expect(try await trial.addresses() == ["ada@example.org"])
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let done = try await trial.set(again)["created"]["k"]
        #expect(done?["state"] == "done" && done?["problem"] == .null && done?["addedAccountIds"] == [])
        guard case .begin(let request) = trial.provider.asked.last else {
            Issue.record("it was not begun")
            return
        }
        #expect(request.account?.address == "ada@example.org")
    }

    /// ACC-92: the plugin is told which way was chosen, and that what is known is to be changed.
    @Test func howAnAccountSignsInIsChanged() async throws {
        let trial = try await Trial()
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let account = try #require(try await trial.begin()["addedAccountIds"]?[0])
        func change(to setup: JSONValue) async throws -> CallAnswer {
            try await trial.set(["create": ["k": ["accountId": account, "setupId": setup]]])
        }
        let refused = try await change(to: "org.example.memory/memory")
        #expect(refused["notCreated"]["k"]?["properties"] == ["setupId"])
        trial.provider.next(ScriptedProvider.form, ScriptedProvider.finished("grace@example.org"))
        let begun = try await change(to: "org.example.scripted/mail")["created"]["k"]
        #expect(begun?["state"] == "form" && begun?["fields"]?[0]?["initialValue"] == "ada@example.org")
        #expect(begun?["fields"]?[1]?["initialValue"] == "", "a password is never filled in")
        guard case .begin(let request) = trial.provider.asked.last else {
            Issue.record("it was not begun")
            return
        }
        #expect(request.account?.address == "ada@example.org" && request.setupID == "mail")
        #expect(request.discovered?.isToBeChanged == true)
        // Another address is refused, and nothing changes.
        let id = begun?["id"] ?? .null
        _ = try await trial.update(id, ["form": Trial.answers])
        #expect(try await trial.now(id)["problem"]?.stringValue?.contains("grace@example.org") == true)
        #expect(try await trial.addresses() == ["ada@example.org"])
    }

    /// FR-ACCT-04: from an account that is refused to one whose mail comes again, with the password that is new.
    @Test func anInactiveAccountSignsInAgain() async throws {
        let trial = try await Trial()
        let test = trial.test
        @Sendable func account() async throws -> JSONValue? {
            try await test.program("AccountSettings/get", ["ids": .null])["list"][0]
        }
        @Sendable func phase() async throws -> JSONValue? {
            try await test.program("SyncStatus/get", ["ids": .null])["list"][0]?["phase"]
        }
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let id = try #require(try await trial.begin()["addedAccountIds"]?[0])
        try await test.program(
            "Preferences/set", ["update": ["singleton": ["isOnboardingComplete": true]]])
        try await test.wait(for: "the first sync") { try await phase() == "listening" }
        test.server.setPassword(Secret("countess"), of: "ada@example.org")
        await test.kernel.accounts.tryAgain()
        try await test.wait(for: "the account to be inactive") {
            test.clock.advance(by: 60)
            return try await phase() == "failed"
        }
        #expect(try await account()?["status"] == "inactive")

        // With the old password nothing changes.
        let again: JSONValue = ["create": ["k": ["accountId": id]]]
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        #expect(try await trial.set(again)["created"]["k"]?["state"] == "failed")
        #expect(try await account()?["status"] == "inactive")

        trial.provider.next(ScriptedProvider.finished("ada@example.org", password: "countess"))
        let done = try await trial.set(again)["created"]["k"]
        #expect(done?["state"] == "done")
        let active = try await account()
        #expect(active?["status"] == "active" && active?["id"] == id)
        test.server.fill("ada@example.org", count: 1)
        let ada = Id<Account>(id.stringValue ?? "")
        try await test.wait(for: "new mail") { try await test.emailIDs(of: ada).count == 4 }
        try await test.wait(for: "the end of its round") { try await phase() == "listening" }
    }

    @Test func changesArePushed() async throws {
        let trial = try await Trial()
        var events = trial.test.jmap.events(
            EventSubscription(types: ["SignIn"]), for: TestKernel.page
        ).makeAsyncIterator()
        trial.provider.next(ScriptedProvider.browser)
        _ = try await trial.begin()
        #expect(try #require(await events.next()).data.contains("\"SignIn\""))
    }

    // MARK: Onboarding

    /// FR-OB-01: no mail is fetched before the user has been told how much room it takes.
    @Test func theFirstSyncBeginsWhenOnboardingIsComplete() async throws {
        let trial = try await Trial()
        let early = try await trial.test.program(
            "Preferences/set", ["update": ["singleton": ["isOnboardingComplete": true]]])
        #expect(early["notUpdated"]["singleton"]?["properties"] == ["isOnboardingComplete"])
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let id = Id<Account>(try #require(try await trial.begin()["addedAccountIds"]?.strings.first))
        #expect(await trial.test.kernel.accounts.session(id) == nil)
        _ = try await trial.test.program(
            "Preferences/set", ["update": ["singleton": ["isOnboardingComplete": true]]])
        #expect(await trial.test.kernel.accounts.session(id) != nil)
        await trial.test.kernel.accounts.settle(id)
        #expect(try await trial.test.emailIDs(of: id).count == 3)
        // From now on an account is fetched at once.
        trial.provider.next(ScriptedProvider.finished("grace@example.org"))
        let second = Id<Account>(try #require(try await trial.begin()["addedAccountIds"]?.strings.first))
        #expect(await trial.test.kernel.accounts.session(second) != nil)
    }

    /// E-SO-06: killed midway, onboarding begins again, and what was added is there and still waits.
    @Test func aKillMidwayKeepsWhatWasAdded() async throws {
        let disk = MemoryStorage.Disk()
        let trial = try await Trial(on: disk)
        trial.provider.next(ScriptedProvider.finished("ada@example.org"))
        let id = Id<Account>(try #require(try await trial.begin()["addedAccountIds"]?.strings.first))
        let next = try await Trial(on: disk)
        #expect(try await next.addresses() == ["ada@example.org"])
        let preferences = try await next.test.program("Preferences/get")["list"][0]
        #expect(preferences?["isOnboardingComplete"] == false)
        #expect(await next.test.kernel.accounts.session(id) == nil)
    }

    /// E-SO-08, AC-U-14a: removing the last account begins onboarding again.
    @Test func removingTheLastAccountBeginsOnboardingAgain() async throws {
        let test = try await TestKernel()
        _ = try await test.program(
            "Preferences/set", ["update": ["singleton": ["isOnboardingComplete": true]]])
        for (account, expected) in [(test.ada, true), (test.grace, false)] {
            _ = try await test.program("AccountSettings/set", ["destroy": [.string(account.rawValue)]])
            let preferences = try await test.program("Preferences/get")["list"][0]
            #expect(preferences?["isOnboardingComplete"] == .bool(expected))
        }
    }

    /// E-SO-20: the flag says done, but no account is there.
    @Test func aFlagWithoutAccountsIsTakenBackAtTheStart() async throws {
        let disk = MemoryStorage.Disk()
        let test = try await TestKernel(on: disk)
        try await test.kernel.preferences.set(["isOnboardingComplete": true])
        for account in test.accounts { try await test.storage.removeAccount(account.id) }
        let next = try await TestKernel(on: disk, hasAccounts: false)
        let preferences = try await next.program("Preferences/get")["list"][0]
        #expect(preferences?["isOnboardingComplete"] == false)
    }
}
