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

    @Test func whatTheServerTellsCountsMore() {
        let listed = [
            ListedMailbox(attributes: [], delimiter: "/", name: MailboxName(wire: "Sent")),
            ListedMailbox(attributes: ["\\sent"], delimiter: "/", name: MailboxName(wire: "Outgoing")),
        ]
        let directory = MailboxDirectory(listed, prefix: "", hasLabels: false, isUTF8: false)
        #expect(directory[role: .sent]?.shownName == "Outgoing")
    }
}
