public import MailKernelAPI

extension IMAPAccountSession {
    public func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        guard let server = configuration.submission else { throw .unsupported("sending mail") }
        let credentials = try await configuration.login.credentials(refused: nil)
        statuses.forget()
        do throws(NetworkError) {
            return try await submit(message, envelope, server, credentials)
        } catch {
            guard case .loginRefused(_, let reply) = error, case .oauth(_, let token) = credentials else {
                throw AccountError(error, port: server.endpoint.port)
            }
            // Refused before anything was handed over: one more try, with a token that is certainly new.
            let renewed = try await configuration.login.credentials(refused: token)
            guard renewed != credentials else { throw .authenticationRequired(reason: reply) }
            return try await submitAgain(message, envelope, server, renewed)
        }
    }

    private func submitAgain(
        _ message: any ByteSource, _ envelope: Envelope, _ server: MailServer,
        _ credentials: IMAPCredentials
    ) async throws(AccountError) -> SubmissionOutcome {
        do throws(NetworkError) {
            return try await submit(message, envelope, server, credentials)
        } catch {
            throw AccountError(error, port: server.endpoint.port)
        }
    }

    private func submit(
        _ message: any ByteSource, _ envelope: Envelope, _ server: MailServer,
        _ credentials: IMAPCredentials
    ) async throws(NetworkError) -> SubmissionOutcome {
        let login: SMTPSubmission.Login =
            switch credentials {
            case .oauth(let user, let token): .oauth(user: user, token: token)
            case .password(let user, let password): .password(user: user, password: password)
            }
        let outcome = try await host.network.submit(
            message,
            SMTPSubmission(
                endpoint: server.endpoint, security: server.security, login: login, envelope: envelope,
                purpose: configuration.purpose))
        return SubmissionOutcome(outcome)
    }

    public func findSent(messageID: String) async throws(AccountError) -> Bool {
        let id = messageID.filter { $0 != "<" && $0 != ">" }
        // An id has neither, so none was ever sent.
        guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else { return false }
        // Gmail can be told to show none. In All Mail the draft may be found just as well.
        guard let sent = try await knownDirectory()[role: .sent] else {
            throw .unsupported("The account has no mailbox for sent mail.")
        }
        return try await withMailbox(sent.name) { connection, _ throws(AccountError) in
            try await !connection.marks(messageID: id).isEmpty
        }
    }
}
