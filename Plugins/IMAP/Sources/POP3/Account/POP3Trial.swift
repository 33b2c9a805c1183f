public import MailKernelAPI

extension POP3Configuration {
    /// Signs in and asks for the list, for `AccountProvider.validate`. Nothing is fetched.
    public func tryReceiving(host: HostServices) async throws(AccountError) {
        var connection = try await POP3SignIn(configuration: self, host: host).open()
        do throws(AccountError) {
            _ = try await Maildrop(&connection.talk)
            _ = try await connection.talk.ask("QUIT")
        } catch {
            await connection.close()
            throw connection.explained(error)
        }
        await connection.close()
    }

    /// Signs in where mail is submitted, without sending anything.
    public func trySending(host: HostServices) async throws(AccountError) {
        try await sending.trySending(host: host)
    }
}
