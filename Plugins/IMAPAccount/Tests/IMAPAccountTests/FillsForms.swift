import FoundationEssentials
import MailKernelAPI

@testable import IMAPAccount

struct UnexpectedStep: Error { let words: String }

/// Tests of the forms that add an account.
protocol FillsForms {
    var provider: IMAPAccountProvider { get }
}

extension FillsForms {
    static var redirect: URL { URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/") }

    func begin(
        _ account: Account? = nil, discovered: DiscoveredService? = nil
    ) async throws -> (fields: [FormField], memory: Secret) {
        try form(
            await provider.authorize(
                .begin(
                    AuthorizationRequest(
                        setupID: "imap", redirect: Self.redirect, account: account, discovered: discovered))))
    }

    func form(_ step: AuthorizationStep) throws -> (fields: [FormField], memory: Secret) {
        guard case .form(let fields, let memory) = step else { throw UnexpectedStep(words: "\(step)") }
        return (fields, memory)
    }

    func answer(_ answers: [String: String], _ memory: Secret) async throws(AccountError) -> AuthorizationStep
    {
        try await provider.authorize(.form(answers.mapValues { Secret($0) }, memory: memory))
    }

    /// The one account that a form ends with.
    func candidate(_ step: AuthorizationStep) throws -> AccountCandidate {
        guard case .finished(let candidates) = step, candidates.count == 1 else {
            throw UnexpectedStep(words: "\(step)")
        }
        return candidates[0]
    }
}
