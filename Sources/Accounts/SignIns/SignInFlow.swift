import FoundationEssentials
import MailKernelAPI
import Sync

/// A sign-in, with the data that only the kernel knows.
struct SignInFlow {
    enum Expected {
        case nothing
        case form([FormField], memory: Secret)
        /// The browser comes back with this `state`.
        case redirect(String, memory: Secret)
    }

    struct Form {
        let fields: [FormField]
        let memory: Secret

        var asksForPassword: Bool { fields.contains { $0.kind == .password } }
    }

    enum Step: Sendable {
        case authorize(AuthorizationAnswer)
        case showForm([FormField], memory: Secret)
        case add([AccountCandidate])
    }

    var shown: SignIn
    let pluginID: String
    let provider: ContainedProvider
    let serviceName: String
    let request: AuthorizationRequest
    var expected = Expected.nothing
    /// The step at which “try again” continues.
    var retry: Step
    /// The forms that were answered, in their order, to be shown again filled in.
    var forms: [Form] = []
    /// The previous input, except passwords: the initial values of a repeated form.
    var answers: [String: Secret] = [:]
    var touched: Date
    var task: Task<Void, Never>?

    /// The hosts that the user has entered or was shown, those that were put right since left out.
    var entered: Set<String> {
        Set(
            request.discoveredHosts
                + forms.flatMap(\.fields).filter { $0.kind == .host }
                .compactMap { answers[$0.name]?.revealed }.filter { !$0.isEmpty })
    }

    /// The code is no longer waited for.
    mutating func forgetCode() {
        guard shown.phase == .code else { return }
        (shown.phase, shown.code, shown.url) = (.working, nil, nil)
    }

    mutating func note(_ new: [String: Secret], to form: Form) {
        // A different address has different servers, so previous input does not apply.
        if new.contains(where: { name, answer in answers[name].map { $0 != answer } ?? false }) {
            answers = [:]
        }
        for field in form.fields where field.kind != .password { answers[field.name] = new[field.name] }
        forms.removeAll { $0.fields.map(\.name) == form.fields.map(\.name) }
        forms.append(Form(fields: form.fields.map { $0.filled(with: new) }, memory: form.memory))
    }

    /// The form in which the user can correct the error: the one with the password if it was refused.
    func form(toCorrect error: (any Error)?) -> Form? {
        guard (error as? AccountError)?.retry == .afterSignIn else { return forms.last }
        return forms.last(where: \.asksForPassword) ?? forms.last
    }

    /// Whether the same input may work later. Errors about the account or a server that the user named are
    /// shown for correction instead.
    func mayWorkUnchanged(after error: any Error) -> Bool {
        guard let error = error as? AccountError else { return !(error is AccountProblem) }
        return switch error.scope {
        case .call, .mailbox: false
        case .server: entered.isEmpty
        case .account: error.retry != .afterSignIn
        case .network: true
        }
    }
}

extension AuthorizationRequest {
    /// The user has typed the address already, which many a plugin asks for.
    func filled(_ field: FormField) -> FormField {
        guard field.kind == .email, field.initialValue.isEmpty, field.name == "address", let discovered else {
            return field
        }
        var field = field
        field.initialValue = discovered.address
        return field
    }

    /// The hosts that were found for the user's address. The servers of known services are in the plugin's manifest.
    fileprivate var discoveredHosts: [String] {
        guard let discovered, discovered.knownID == nil, !discovered.isToBeChanged else { return [] }
        return [
            discovered.incoming?.endpoint.host, discovered.submission?.endpoint.host, discovered.jmap?.host,
            discovered.issuer?.host,
        ].compactMap(\.self)
    }
}
