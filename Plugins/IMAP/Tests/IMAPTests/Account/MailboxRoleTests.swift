import MailKernelAPI
import Testing

@testable import IMAP

@Suite("Mailboxes whose use the server does not tell are known by their names") struct MailboxRoleTests {
    @Test(arguments: [
        ("Sent Items", Mailbox.Role.sent), ("Gesendet", .sent), ("Éléments envoyés", .sent),
        ("Entwürfe", .drafts), ("Papelera", .trash), ("Спам", .junk), ("Archivio", .archive),
    ])
    func inTheLanguagesThatServersAreSetUpIn(_ name: String, _ role: Mailbox.Role) {
        let listed = ["INBOX", name, "Projects"].map {
            ListedMailbox(attributes: [], delimiter: "/", name: MailboxName($0, isUTF8: false))
        }
        let directory = MailboxDirectory(listed, prefix: "", hasLabels: false, isUTF8: false)
        #expect(directory[role: role]?.shownName == name)
        #expect(directory.entries.first { $0.shownName == "Projects" }?.role == nil)
    }

    /// Ids are the names, and those of very long names are made: a server could name a mailbox like one of those.
    /// What is archived has an id on accounts with labels, and people have labels of that name.
    @Test(arguments: [true, false]) func eachMailboxHasAnIdOfItsOwn(_ hasLabels: Bool) {
        let long = MailboxName(wire: String(repeating: "x", count: 300))
        let names = [
            long, MailboxName(wire: MailboxDirectory.id(long).rawValue), MailboxName(wire: "archive"),
        ]
        let listed =
            names.map { ListedMailbox(attributes: [], delimiter: "/", name: $0) }
            + [ListedMailbox(attributes: ["\\all"], delimiter: "/", name: MailboxName(wire: "All Mail"))]
        let directory = MailboxDirectory(listed, prefix: "", hasLabels: hasLabels, isUTF8: false)
        let ids = directory.listing.mailboxes.map(\.id)
        #expect(Set(ids).count == ids.count)
        for entry in directory.entries { #expect(directory[entry.id] == entry) }
        #expect(directory[MailboxName(wire: "archive")] != nil)
    }

    @Test func whatTheServerTellsCountsMore() {
        let listed = [
            ListedMailbox(attributes: [], delimiter: "/", name: MailboxName(wire: "Sent")),
            ListedMailbox(attributes: ["\\sent"], delimiter: "/", name: MailboxName(wire: "Outgoing")),
        ]
        let directory = MailboxDirectory(listed, prefix: "", hasLabels: false, isUTF8: false)
        #expect(directory[role: .sent]?.shownName == "Outgoing")
    }
}
