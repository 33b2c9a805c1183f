import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import POP3

/// ACC-111: an account on a server without folders keeps what accounts promise.
@Suite("A POP3 account keeps what accounts promise") struct ConformanceTests {
    /// Messages come as a whole, and the server reports nothing by itself.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "partsComeDecoded", "withoutSubmissionItIsUnsupported", "withoutImportsItIsUnsupported",
        "searchFindsBySubject", "searchFindsOlderMail", "foundMailCanBeRead", "quotasNameWhatTheyLimit",
        "quotasKeepTheirIds", "aDemoAsksNothing", "watchingBeginsWithListening", "watchingTellsOfNewMail",
        "closingEndsWatching",
    ])

    @Test(arguments: ConformanceCase.all(.account)) func keeps(_ promise: ConformanceCase) async throws {
        let address = "ada@pop.test"
        let network = PopNetwork(server: PopServer { $0.password = "right" }, address: address)
        let subject = ConformanceSubject(
            formAnswers: ["address": Secret(address), "password": Secret("right")], network: network,
            makeProvider: { .account(PopProvider(host: $0)) })
        let verdict = try await promise.check(subject)
        #expect((verdict == .kept) == !Self.leftOut.contains(promise.name), "\(verdict)")
    }
}

/// A network with a POP3 server, and a submission server that delivers into it.
struct PopNetwork: OfflineNetwork {
    let server: PopServer
    let address: String

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        try await MemoryNetwork { [server] in server.session() }
            .connect(to: endpoint, security: security, purpose: purpose)
    }

    func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome {
        let bytes = try await message.wholeBytes()
        let no = SMTPReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        let unknown = submission.envelope.rcptTo.filter { $0 != address }
        let refused = Dictionary(unknown.map { ($0, no) }) { first, _ in first }
        guard submission.envelope.rcptTo.contains(address) else { return .rejected(no, refused: refused) }
        let text = String(decoding: bytes, as: UTF8.self)
        server.change { $0.messages.append(.init(name: UUID().uuidString, text: text)) }
        return .accepted(SMTPReply(code: 250, text: "OK"), refused: refused)
    }
}

/// An account plugin as others would write it on the library.
struct PopProvider: AccountProvider {
    let host: HostServices

    var setups: [AccountSetup] {
        [AccountSetup(id: "account", title: "Add a test account", serviceName: "POP3")]
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request):
            let address = FormField(
                name: "address", label: "Address", kind: .email, initialValue: request.account?.address ?? "")
            return .form([address, FormField(name: "password", label: "Password", kind: .password)])
        case .form(let values, _):
            guard let address = values["address"]?.revealed, address.contains("@") else {
                throw .invalid(field: "address", reason: "An address has an @ in it.")
            }
            guard let password = values["password"], !password.revealed.isEmpty else {
                throw .invalid(field: "password", reason: "A password is needed.")
            }
            return .finished([
                AccountCandidate(settings: ["address": .string(address)], secrets: ["password": password])
            ])
        case .redirected, .shown: throw .badAnswer("no browser was asked for")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let address = candidate.settings["address"]?.stringValue ?? ""
        try await configuration(address) { () throws(AccountError) in
            candidate.secrets["password"] ?? Secret("")
        }.tryReceiving(host: host)
        return ValidatedAccount(
            address: address, displayName: address, identities: [EmailAddress(email: address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let login = configuration(account.address) { () throws(AccountError) in
            let password: Secret?
            do throws(SecretError) {
                password = try await secrets.secret(named: "password")
            } catch {
                throw .secrets(error)
            }
            guard let password else { throw .authenticationRequired(reason: "The password is missing.") }
            return password
        }
        return try POP3AccountSession(login, address: account.address, host: host)
    }

    private func configuration(
        _ address: String, _ password: @escaping @Sendable () async throws(AccountError) -> Secret
    ) -> POP3Configuration {
        POP3Configuration(
            server: MailServer("pop.test", port: 995), submission: MailServer("smtp.test", port: 465),
            login: .password(user: address, password: password))
    }
}
