import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth

/// Accounts of services that were found, and name a server where people sign in with the browser.
struct FoundAccounts: Sendable {
    enum Outcome {
        case step(AuthorizationStep)
        /// The user chose it, or there is no other way, which the sentence explains.
        case password(DiscoveredService, because: String)
    }

    private enum Note {
        static let place = "place"
        static let service = "service"
    }

    private let signIn: FoundSignIn

    init(_ host: HostServices) { signIn = FoundSignIn(host: host) }

    /// Nil unless the service names such a server.
    func begin(
        _ service: DiscoveredService, redirect: URL
    ) async throws(AccountError) -> Outcome? {
        guard service.knownID == nil, !service.isToBeChanged, let incoming = service.incoming,
            let submission = service.submission, let issuer = service.authentication.firstIssuer
        else { return nil }
        let person = AccountForms.Person(address: service.address, password: "", name: "")
        let place = MailPlace(
            person, user: service.userName, imap: MailServer(incoming), submission: MailServer(submission),
            leave: AccountForms.isPOP3(incoming) ? .always : nil)
        let hosts = [incoming.endpoint.host, submission.endpoint.host, issuer.host(percentEncoded: false)]
        let start = FoundSignIn.Start(
            issuer: issuer, address: service.address, redirect: redirect,
            seen: Set(hosts.compactMap(\.self)), allowsPassword: service.authentication.contains(.password),
            note: [
                Note.place: try Self.text(place.candidate([:]).settings),
                Note.service: try Self.text(service),
            ])
        return try outcome(try await signIn.begin(start))
    }

    /// For an account that signed in that way.
    func begin(
        again place: MailPlace, _ service: FoundService, redirect: URL
    ) async throws(AccountError) -> Outcome {
        let start = FoundSignIn.Start(
            again: service, address: place.address, redirect: redirect,
            note: [Note.place: try Self.text(place.candidate([:]).settings)])
        return try outcome(try await signIn.begin(start))
    }

    /// Nil if the answer is not to one of these steps.
    func next(_ answer: AuthorizationAnswer) async throws(AccountError) -> Outcome? {
        guard let next = try await signIn.next(answer) else { return nil }
        return try outcome(next)
    }

    private func outcome(_ outcome: FoundSignIn.Outcome) throws(AccountError) -> Outcome {
        switch outcome {
        case .step(let step): return .step(step)
        case .password(let reason, let note):
            let service: DiscoveredService = try Self.value(note[Note.service])
            return .password(service, because: reason ?? "")
        case .signedIn(let grant):
            var place = try MailPlace(try Self.value(grant.note[Note.place]))
            place.found = grant.service
            place.clientID = grant.service.clientID
            return .step(.finished([place.candidate(grant.secrets)]))
        }
    }

    private static func text(_ value: some Encodable) throws(AccountError) -> String {
        guard let data = try? JSONEncoder().encode(value) else {
            throw .local(reason: "The sign-in cannot be remembered.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func value<Value: Decodable>(_ text: String?) throws(AccountError) -> Value {
        guard let text, let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        return value
    }
}

extension [DiscoveredService.Authentication] {
    var firstIssuer: URL? {
        lazy.compactMap { way in if case .oauth(let issuer) = way { issuer } else { nil } }.first
    }
}
