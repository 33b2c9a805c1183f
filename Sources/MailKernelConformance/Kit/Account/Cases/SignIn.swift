import FoundationEssentials
import MailKernelAPI

/// Signs in as the kernel does, with the subject's answers in the place of a person's.
struct SignIn {
    let bench: ConformanceBench
    /// What to answer instead of the subject's answers.
    var answers: [String: Secret]

    init(_ bench: ConformanceBench) {
        self.bench = bench
        answers = bench.subject.formAnswers
    }

    static let redirect = URL(string: "http://127.0.0.1:49152/signed-in") ?? URL(filePath: "/")

    static func provider(_ bench: ConformanceBench) throws -> any AccountProvider {
        guard case .account(let provider) = try bench.makeProvider() else {
            throw ConformanceFailure("the plugin's provider is not of the kind “account”")
        }
        return provider
    }

    /// The setup that the subject's answers are for: the one it names, or the first.
    func setup() throws -> AccountSetup {
        let setups = try Self.provider(bench).setups
        let wanted = bench.subject.setupID
        guard let setup = setups.first(where: { wanted == nil || $0.id == wanted }) else {
            throw ConformanceFailure(
                "setups: expected \(wanted.map { "“\($0)”, which the subject names" } ?? "at least one"), found \(setups.map(\.id))"
            )
        }
        return setup
    }

    /// Takes the first step with the subject's setup, or with another.
    func begin(_ setup: AccountSetup? = nil, again account: Account? = nil) async throws -> AuthorizationStep
    {
        let request = AuthorizationRequest(
            setupID: try (setup ?? self.setup()).id, redirect: Self.redirect, account: account)
        return try await Self.provider(bench).authorize(.begin(request))
    }

    /// The first account that comes out of signing in.
    func candidate() async throws -> AccountCandidate {
        guard let first = try await candidates().first else {
            throw ConformanceFailure("authorize: expected “finished” with an account, found it with none")
        }
        return first
    }

    /// Goes through all steps, each with a provider of its own: one keeps nothing between calls.
    func candidates(again account: Account? = nil) async throws -> [AccountCandidate] {
        var step = try await begin(again: account)
        for _ in 0..<10 {
            switch step {
            case .finished(let candidates): return candidates
            case .form(let fields, let memory):
                step = try await Self.provider(bench).authorize(.form(try fill(fields), memory: memory))
            case .browser(let page, let memory):
                guard let browser = bench.subject.browser else {
                    throw NotApplicable("signing in needs a browser, and the subject brings none")
                }
                let items = try await browser(page)
                step = try await Self.provider(bench).authorize(.redirected(items, memory: memory))
            case .code(let code, let memory):
                guard let browser = bench.subject.browser else {
                    throw NotApplicable("signing in needs a device for a code, and the subject brings none")
                }
                _ = try await browser(code.filledPage ?? code.page)
                step = try await Self.provider(bench).authorize(.shown(memory: memory))
            }
        }
        throw ConformanceFailure("authorize: expected to be finished after 10 steps, and it asks for more")
    }

    /// What the kernel makes of a candidate that validates.
    static func account(_ candidate: AccountCandidate, _ bench: ConformanceBench) async throws -> Account {
        let validated = try await provider(bench).validate(candidate)
        return Account(
            id: Id("conformance"), pluginID: "conformance", address: validated.address,
            displayName: validated.displayName, addedAt: bench.clock.now, settings: candidate.settings)
    }

    /// The drawer of a candidate that was added.
    static func secrets(of candidate: AccountCandidate) -> MemorySecrets {
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        return secrets
    }

    /// The fields of the first form; nil if there is none.
    func firstForm() async throws -> (fields: [FormField], memory: Secret)? {
        if case .form(let fields, let memory) = try await begin() { return (fields, memory) }
        return nil
    }

    func fill(_ fields: [FormField]) throws -> [String: Secret] {
        var filled: [String: Secret] = [:]
        for field in fields {
            if let answer = answers[field.name] {
                filled[field.name] = answer
            } else if !field.initialValue.isEmpty || !field.isRequired {
                filled[field.name] = Secret(field.initialValue)
            } else {
                throw NotApplicable(
                    "the form asks for “\(field.name)”, which is not among the subject's answers")
            }
        }
        return filled
    }
}
