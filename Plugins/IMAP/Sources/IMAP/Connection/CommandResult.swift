import MailKernelAPI

extension IMAPConnection {
    /// The response to one command.
    struct Result: Sendable {
        let completion: IMAPSession.Completion
        let responses: [Untagged]

        var isOK: Bool { completion.status.kind == .ok }
        var code: ResponseCode? { completion.status.code }

        var error: AccountError { AccountError(completion.status, command: completion.command) }

        /// The answer to a command that has to succeed, and be understood as a whole.
        func orThrow() throws(AccountError) -> Result {
            guard isOK else { throw error }
            guard completion.malformed == 0 else {
                throw .badAnswer("the response to \(completion.command) is invalid")
            }
            return self
        }

        var fetched: [FetchResponse] {
            responses.compactMap { if case .fetch(let message) = $0 { message } else { nil } }
        }
    }
}
