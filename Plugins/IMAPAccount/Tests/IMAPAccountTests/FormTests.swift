import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAPAccount

/// FR-SET-02, FR-OB-01 step 2: what is asked, and what is said about answers that cannot be right.
@Suite("Adding an account asks for as little as it can") struct FormTests: FillsForms {
    let provider: IMAPAccountProvider

    init() {
        provider = IMAPAccountProvider(
            .forTesting(settings: PluginSettings(["services": ["bad": ["name": "no servers"]]])))
    }

    private func place(_ step: AuthorizationStep) throws -> MailPlace {
        let candidate = try candidate(step)
        #expect(!"\(candidate)".contains("hunter2"))
        #expect(candidate.secrets == ["password": Secret("hunter2")])
        return try MailPlace(candidate.settings)
    }

    /// What signs in with the browser has a setup of its own, and its servers come from the settings.
    @Test func aServiceWithAPageOfItsOwnIsOffered() async throws {
        let server: JSONValue = ["host": "mail.example.test", "port": 993]
        let oauth: JSONValue = [
            "authorizationUrl": "https://id.example.test/auth", "tokenUrl": "https://id.example.test/token",
            "scopes": ["mail"], "clientId": "c",
        ]
        let example: JSONValue = [
            "name": "Example", "domains": ["example.test"], "imap": server, "submission": server,
            "oauth": oauth,
        ]
        let provider = IMAPAccountProvider(
            .forTesting(
                settings: PluginSettings([
                    "services": [
                        "example": example, "bad": ["imap": server, "submission": server, "oauth": [:]],
                    ]
                ])))
        #expect(provider.setups.map(\.title) == ["Add another mail account", "Add your Example account"])
        let request = AuthorizationRequest(setupID: "service-example", redirect: Self.redirect)
        let (fields, memory) = try form(await provider.authorize(.begin(request)))
        #expect(fields.map(\.name) == ["name", "address"])
        let step = try await provider.authorize(
            .form(["address": Secret("ada@example.test")], memory: memory))
        guard case .browser(let page, _) = step else { throw UnexpectedStep(words: "\(step)") }
        #expect(page.absoluteString.hasPrefix("https://id.example.test/auth?client_id=c&"))
        // It would accept no password.
        let (_, other) = try form(
            await provider.authorize(
                .begin(AuthorizationRequest(setupID: "imap", redirect: Self.redirect))))
        await #expect(
            throws: AccountError.invalid(
                field: "address",
                reason: "Example is added separately: go back and choose “Add your Example account”.")
        ) {
            try await provider.authorize(
                .form(["address": Secret("a@example.test"), "password": Secret("x")], memory: other))
        }
    }

    /// A service that gives each refresh token once would not take it again from the account.
    @Test func aTrialSpendsNoRefreshToken() async throws {
        let host = HostServices.forTesting(settings: PluginSettings([:]))
        let browsers = BrowserAccounts(services: MailServices(host.settings, log: host.log), host: host)
        let server = MailServer("mail.example.test", port: 993)
        let place = MailPlace(
            AccountForms.Person(address: "ada@example.test", password: "", name: ""),
            user: "ada@example.test", imap: server, submission: server, service: "example", clientID: "c")
        let login = try browsers.login(
            place,
            trying: place.candidate(["accessToken": Secret("first"), "refreshToken": Secret("refresh")]))
        guard case .oauth(_, let token) = login else { throw UnexpectedStep(words: "\(login)") }
        #expect(try await token(nil) == Secret("first"))
        await #expect(
            throws: AccountError.authenticationRequired(
                reason: "The mail server did not accept this sign-in.")
        ) { try await token(Secret("first")) }
    }

    @Test func aKnownServiceNeedsAddressAndPasswordAlone() async throws {
        let (fields, memory) = try await begin()
        #expect(fields.filter(\.isRequired).map(\.name) == ["address", "password"])
        let place = try place(
            try await answer(["address": " ada@FastMail.com ", "password": "hunter2", "name": "Ada"], memory))
        #expect(place.imap == MailServer("imap.fastmail.com", port: 993))
        #expect(place.submission == MailServer("smtp.fastmail.com", port: 465))
        #expect(place.user == "ada@FastMail.com" && place.name == "Ada" && place.service == "fastmail")
    }

    @Test func aServiceCanBeChosenForADomainOfOnesOwn() async throws {
        let place = try place(
            try await answer(
                ["address": "ada@lovelace.test", "password": "hunter2", "service": "icloud"],
                try await begin().memory))
        #expect(place.imap.endpoint.host == "imap.mail.me.com")
        #expect(place.submission == MailServer("smtp.mail.me.com", port: 587, security: .startTLS))
    }

    @Test(arguments: ["automatic", "manual"])
    func serversAreAskedForOnlyIfNobodyKnowsThem(_ choice: String) async throws {
        let address = choice == "manual" ? "ada@fastmail.com" : "ada@lovelace.test"
        let (fields, memory) = try form(
            try await answer(
                ["address": address, "password": "hunter2", "service": choice], try await begin().memory))
        #expect(
            fields.map(\.name) == [
                "user", "imapHost", "imapPort", "imapSecurity", "smtpHost", "smtpPort", "smtpSecurity",
            ])
        #expect(fields.allSatisfy { !$0.initialValue.isEmpty && $0.kind != .password })
        let place = try place(
            try await answer(
                [
                    "user": "ada", "imapHost": "Mail.Lovelace.test.", "imapPort": "143",
                    "imapSecurity": "startTLS", "smtpHost": "2001:db8::1", "smtpPort": "465",
                    "smtpSecurity": "tls",
                ], memory))
        #expect(place.imap == MailServer("mail.lovelace.test", port: 143, security: .startTLS))
        #expect(place.submission == MailServer("2001:db8::1", port: 465))
        #expect(place.user == "ada" && place.address == address && place.service == nil)
    }

    @Test func signingInAgainAsksForThePasswordAndKeepsThePlace() async throws {
        let old = try place(
            try await answer(["address": "ada@posteo.de", "password": "hunter2"], try await begin().memory))
        let account = Account(
            id: Id("A1"), pluginID: "x", address: "ada@posteo.de", displayName: "Ada", addedAt: .distantPast,
            settings: old.candidate(password: "hunter2").settings)
        let (fields, memory) = try await begin(account)
        #expect(fields.map(\.name) == ["address", "password"])
        #expect(fields[0].initialValue == "ada@posteo.de")
        #expect(
            try place(try await answer(["address": "Ada@posteo.de", "password": "hunter2"], memory)).imap
                == old.imap)
        await #expect(
            throws: AccountError.invalid(field: "address", reason: "This account's address is ada@posteo.de.")
        ) {
            try await answer(["address": "eve@posteo.de", "password": "hunter2"], memory)
        }
    }

    /// ACC-92: ports, the outgoing server and the user name can change; the address and the server of the mail cannot.
    @Test func changingASignInShowsWhatIsKnown() async throws {
        let old = try place(
            try await answer(["address": "ada@posteo.de", "password": "hunter2"], try await begin().memory))
        let account = Account(
            id: Id("A1"), pluginID: "x", address: "ada@posteo.de", displayName: "Ada", addedAt: .distantPast,
            settings: old.candidate(password: "hunter2").settings)
        let (fields, memory) = try await begin(
            account, discovered: DiscoveredService(address: "ada@posteo.de", isToBeChanged: true))
        var answers = Dictionary(fields.map { ($0.name, $0.initialValue) }) { first, _ in first }
        #expect(fields.filter { $0.kind == .password }.map(\.initialValue) == [""])
        answers["password"] = "hunter2"
        let same = try place(try await answer(answers, memory))
        #expect(same == old)
        answers["smtpHost"] = "smtp.example.test"
        answers["imapPort"] = "143"
        let moved = try place(try await answer(answers, memory))
        #expect(moved.submission.endpoint.host == "smtp.example.test" && moved.imap.endpoint.port == 143)
        #expect(moved.service == nil && moved.user == old.user)
        for (field, value) in [("imapHost", "imap.example.test"), ("address", "eve@posteo.de")] {
            var wrong = answers
            wrong[field] = value
            let error = await #expect(throws: AccountError.self) { try await answer(wrong, memory) }
            guard case .invalid(field, _)? = error else {
                throw UnexpectedStep(words: "\(String(describing: error))")
            }
        }
    }

    @Test(arguments: [
        ("address", "", "Please enter your full address, such as ada@example.org."),
        ("address", "ada", "Please enter your full address, such as ada@example.org."),
        ("address", "a b@c.test", "Please enter your full address, such as ada@example.org."),
        (
            "address", "ada@gmail.com",
            "Gmail is added separately: go back and choose “Add your Gmail account”."
        ),
        ("address", "ada@tuta.com", "Tuta does not support other mail apps."),
        (
            "address", "ada@Outlook.com",
            "Outlook is added separately: go back and choose “Add your Outlook or Microsoft 365 account”."
        ),
        ("password", "", "Please enter the password."),
        ("password", "a\r\nb", "A password cannot contain control characters."),
        ("service", "nonsense", "Please choose one of the services."),
        ("name", String(repeating: "n", count: 300), "This name is too long."),
    ])
    func whatCannotBeRightIsSaidAtItsField(_ field: String, _ value: String, _ reason: String) async throws {
        var answers = ["address": "ada@lovelace.test", "password": "hunter2"]
        answers[field] = value
        let memory = try await begin().memory
        await #expect(throws: AccountError.invalid(field: field, reason: reason)) {
            try await answer(answers, memory)
        }
    }

    @Test(arguments: [
        ("imapHost", ""), ("imapHost", "https://imap.x.test"), ("imapHost", "imap.x.test:993"),
        ("imapHost", "imap x"), ("smtpHost", "-x.test"), ("smtpHost", "a..b"), ("smtpHost", "bücher.test"),
        ("smtpHost", String(repeating: "a", count: 300)), ("imapPort", "0"), ("imapPort", "x"),
        ("smtpPort", "70000"), ("imapSecurity", "none"), ("smtpSecurity", ""), ("user", ""), ("user", "a\nb"),
    ])
    func serversThatCannotBeAreSaidAtTheirField(_ field: String, _ value: String) async throws {
        let person = ["address": "ada@lovelace.test", "password": "hunter2"]
        let (fields, memory) = try form(try await answer(person, try await begin().memory))
        var answers = Dictionary(fields.map { ($0.name, $0.initialValue) }) { first, _ in first }
        _ = try await answer(answers, memory)
        answers[field] = value
        let error = await #expect(throws: AccountError.self) { try await answer(answers, memory) }
        guard case .invalid(field, let reason)? = error else {
            throw UnexpectedStep(words: "\(String(describing: error))")
        }
        #expect(reason.hasSuffix("."))
    }

    /// ACC-04: the kernel found the service; only the password and the name are missing.
    @Test func aFoundServiceAsksForThePasswordOnly() async throws {
        #expect(provider.setups[0].protocols == [.imap])
        #expect(
            provider.setups[0].services.contains {
                $0.id == "fastmail" && $0.mailHosts == ["messagingengine.com"]
            })
        var found = DiscoveredService(
            address: "ada@lovelace.test", userName: "ada",
            incoming: DiscoveredServer("mail.lovelace.test", port: 143, security: .startTLS),
            submission: DiscoveredServer("mail.lovelace.test", port: 465), source: "lovelace.test")
        let (fields, memory) = try await begin(discovered: found)
        #expect(fields.map(\.name) == ["password", "name"])
        let place = try place(try await answer(["password": "hunter2", "name": "Ada"], memory))
        #expect(place.address == "ada@lovelace.test" && place.user == "ada" && place.name == "Ada")
        #expect(place.imap == MailServer("mail.lovelace.test", port: 143, security: .startTLS))

        found.isToBeChanged = true
        let (all, other) = try await begin(discovered: found)
        var answers = Dictionary(all.map { ($0.name, $0.initialValue) }) { first, _ in first }
        #expect(answers["imapHost"] == "mail.lovelace.test" && answers["user"] == "ada")
        answers["password"] = "hunter2"
        answers["smtpHost"] = "out.lovelace.test"
        let changed = try self.place(try await answer(answers, other))
        #expect(changed.submission == MailServer("out.lovelace.test", port: 465))
    }

    @Test func theManifestListsTheHostsOfTheTable() throws {
        let manifest = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "plugin.json")
        let json = try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: manifest))
        let listed = (json["hosts"]?.arrayValue ?? []).compactMap(\.stringValue)
        let known = MailServices.table.flatMap { [$0.imap.endpoint.host, $0.submission.endpoint.host] }
        #expect(Set(listed) == Set(known).union(["*"]))
        let domains = MailServices.table.flatMap(\.domains)
        #expect(
            Set(domains).count == domains.count
                && Set(MailServices.table.map(\.id)).count == MailServices.table.count)
    }
}
