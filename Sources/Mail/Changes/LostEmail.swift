import MailKernelAPI

/// An email that was destroyed here, by what it is recognized without its names at the service.
package struct LostEmail: Codable, Sendable, Hashable {
    let id: Id<Email>
    let mark: String
    let mailboxIDs: Set<Id<Mailbox>>

    package init(_ email: Email) {
        id = email.id
        mark = MessageMark.mark(email)
        mailboxIDs = email.mailboxIDs
    }
}
