import Mail
import MailKernelAPI

extension MailboxListing {
    /// The listing with names and roles as JMAP has them (RFC 8621, section 2): a name is one visible line, siblings
    /// have different names, and a role belongs to one mailbox. A service may have it otherwise.
    func withDistinctNames() -> MailboxListing {
        var listing = self
        var taken: Set<[String]> = []
        var roles: Set<Mailbox.Role> = []
        // The order of a listing may change, and the names must not.
        for index in listing.mailboxes.indices.sorted(by: { mailboxes[$0].id < mailboxes[$1].id }) {
            let mailbox = mailboxes[index]
            let name = MailboxName.sound(mailbox.name)
            let place = mailbox.parentID?.rawValue ?? ""
            var distinct = name
            var number = 1
            while !taken.insert([place, distinct]).inserted {
                number += 1
                distinct = "\(name) (\(number))"
            }
            listing.mailboxes[index].name = distinct
            if let role = mailbox.role, !roles.insert(role).inserted { listing.mailboxes[index].role = nil }
        }
        return listing
    }
}
