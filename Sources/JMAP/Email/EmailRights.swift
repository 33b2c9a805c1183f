import Kernel
import Mail
import MailKernelAPI

/// A change that the rights of mailboxes forbid is refused at once.
extension MailboxChoice {
    private var rights: MailRights { MailRights(mailboxes) }

    func checkAdding(to id: Id<Mailbox>) throws(SetError) {
        try check(rights.refusalOfAdding(to: id))
    }

    func check(_ update: EmailUpdate, of email: Email) throws(SetError) {
        try check(rights.refusal(of: update, on: email))
    }

    func checkDestroying(_ email: Email, beingSent: Set<Id<Email>>) throws(SetError) {
        try check(MailRights(mailboxes, beingSent: beingSent).refusalOfDestroying(email))
    }

    private func check(_ refusal: String?) throws(SetError) {
        if let refusal { throw SetError("forbidden", refusal) }
    }
}
