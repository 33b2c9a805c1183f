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

    /// Goes through all steps, each with a provider of its own: one keeps nothing between calls.
    func candidate() async throws -> AccountCandidate {
        var step = try await Self.provider(bench).authorize(.begin(redirect: Self.redirect, loginHint: nil))
        for _ in 0..<10 {
            switch step {
            case .finished(let candidate): return candidate
            case .form(let fields, let memory):
                step = try await Self.provider(bench).authorize(.form(try fill(fields), memory: memory))
            case .browser(let page, let memory):
                guard let browser = bench.subject.browser else {
                    throw NotApplicable("signing in needs a browser, and the subject brings none")
                }
                let items = try await browser(page)
                step = try await Self.provider(bench).authorize(.redirected(items, memory: memory))
            }
        }
        throw ConformanceFailure("authorize: expected to be finished after 10 steps, and it asks for more")
    }

    /// The fields of the first form; nil if there is none.
    func firstForm() async throws -> (fields: [FormField], memory: Secret)? {
        let provider = try Self.provider(bench)
        let step = try await provider.authorize(.begin(redirect: Self.redirect, loginHint: nil))
        if case .form(let fields, let memory) = step { return (fields, memory) }
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
