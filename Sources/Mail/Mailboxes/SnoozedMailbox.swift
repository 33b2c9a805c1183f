import MailKernelAPI

/// The mailbox of snoozed messages, with the role `snoozed` of RFC 9979. Services do not report that role, so the mailbox
/// is known by its name.
package enum SnoozedMailbox {
    package static let role = "snoozed"
    private static let name = "Snoozed"
    /// For labels: Gmail has a “Snoozed” of its own, which mail programs cannot use.
    private static let nameOfLabel = "Snoozed mail"

    package static func among(_ mailboxes: some Sequence<Mailbox>) -> Mailbox? {
        mailboxes.filter { $0.role == nil && $0.parentID == nil && [name, nameOfLabel].contains($0.name) }
            .min { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    static func make(in accountID: Id<Account>, isLabel: Bool) -> Mailbox {
        Mailbox(
            id: Id(""), accountID: accountID, name: isLabel ? nameOfLabel : name,
            sortOrder: Mailbox.sortOrder(.archive))
    }
}
