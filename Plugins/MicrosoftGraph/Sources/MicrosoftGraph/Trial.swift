import FoundationEssentials
import MailKernelAPI
import MicrosoftLogin

/// Tries an account before it is added: whose it is, and whether mail can be read.
struct Trial: Sendable {
    let wire: GraphWire
    let account: MicrosoftAccount

    private struct Person: Decodable {
        let mail: String?
        let userPrincipalName: String?
        let displayName: String?
        let proxyAddresses: [String]?

        var addresses: [String] {
            let others = (proxyAddresses ?? []).filter { $0.lowercased().hasPrefix("smtp:") }
                .map { String($0.dropFirst(5)) }
            return ([mail, userPrincipalName].compactMap(\.self) + others).filter { $0.contains("@") }
        }
    }

    struct Owner: Sendable {
        let address: String
        let name: String?
    }

    func run() async throws(AccountError) -> Owner {
        let person = try await ask { () async throws(GraphFailure) -> Person in
            try await wire.get(
                Person.self, "/me?$select=mail,userPrincipalName,displayName,proxyAddresses",
                purpose: "sign in")
        }
        do throws(GraphFailure) {
            _ = try await wire.get(
                JSONValue.self, wire.place.folder("inbox") + "?$select=id", purpose: "sign in")
        } catch {
            throw meaning(error)
        }
        if let mailbox = account.mailbox { return Owner(address: mailbox, name: nil) }
        // Someone may have chosen another account on Microsoft's page: then that one is added.
        let typed = account.address.lowercased()
        let own = person.addresses
        guard let address = own.first(where: { $0.lowercased() == typed }) ?? own.first else {
            throw .refused(Sentences.noMailbox)
        }
        let name = person.displayName.flatMap { $0.isEmpty || $0.utf8.count > 500 ? nil : $0 }
        return Owner(address: address, name: name)
    }

    private func ask<Value: Sendable>(
        _ body: () async throws(GraphFailure) -> Value
    ) async throws(AccountError) -> Value {
        do throws(GraphFailure) { return try await body() } catch { throw meaning(error) }
    }

    private func meaning(_ failure: GraphFailure) -> AccountError {
        if let refusal = failure.refusal, [401, 403, 404].contains(refusal.status), refusal.claims == nil {
            if let mailbox = account.mailbox, refusal.status != 401 {
                return .authenticationRequired(
                    reason: Sentences.noSharedMailbox(mailbox, account.address, words: refusal.text))
            }
            if refusal.status == 403 { return .authenticationRequired(reason: Sentences.noPermission) }
            if refusal.isNotFound { return .refused(Sentences.noMailbox) }
        }
        return failure.meaning(host: wire.place.host, now: wire.clock.now)
    }
}
