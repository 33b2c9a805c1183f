import MailKernelAPI

/// The way from the mail here to the services of its accounts.
package protocol MailServices: Sendable {
    /// The mail of an account was changed here, and its service is to know.
    func changed(_ accountID: Id<Account>) async

    /// The way to an account's mail; nil if it is inactive or its plugin is not there.
    func session(_ accountID: Id<Account>) async -> (any AccountSession)?
}
