import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// A plugin whose accounts are at a server that their settings name.
package struct PlacesProvider: AccountProvider {
    package static let pluginID = "org.example.places"

    let servers: [String: MemoryMailServer]
    let script: Script

    package init(_ servers: [String: MemoryMailServer], _ script: Script) {
        (self.servers, self.script) = (servers, script)
    }

    package static func candidate(
        _ server: String, _ password: String = "lovelace", of address: String = "ada@example.org"
    ) -> AccountCandidate {
        AccountCandidate(
            settings: ["address": .string(address), "server": .string(server)],
            secrets: ["password": Secret(password)])
    }

    package var setups: [AccountSetup] {
        [AccountSetup(id: "places", title: "Add a place", serviceName: "Places", protocols: [.jmap])]
    }

    package func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request):
            let found = request.discovered?.jmap?.absoluteString ?? ""
            let field = FormField(name: "server", label: "Server", kind: .host, initialValue: found)
            return .form([field], memory: Secret(request.account == nil ? "new" : "again"))
        case .form(let answers, _): return .finished([Self.candidate(answers["server"]?.revealed ?? "")])
        case .redirected, .shown: throw .unsupported("a browser")
        }
    }

    package func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        try provider(candidate.settings).validate(candidate)
    }

    package func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        ScriptedSession(try provider(account.settings).session(for: account, secrets: secrets), script)
    }

    private func provider(
        _ settings: [String: JSONValue]
    ) throws(AccountError) -> MemoryAccountProvider {
        guard let server = servers[settings["server"]?.stringValue ?? ""] else {
            throw .invalid(field: "server", reason: "There is no such server.")
        }
        return MemoryAccountProvider(server: server)
    }
}

extension MemoryMailServer {
    /// Puts copies of another server's mail here, the oldest last, so that each has the name of another there.
    package func take(_ messages: [MemoryMessage], to address: String) {
        for message in messages {
            for mailbox in message.mailboxIDs.sorted() {
                deliver(
                    message.bytes, to: address, mailbox: mailbox, keywords: message.keywords,
                    receivedAt: message.receivedAt)
            }
        }
    }
}
