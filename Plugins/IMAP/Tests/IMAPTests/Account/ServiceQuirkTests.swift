import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// ACC-30: what services are documented to do.
@Suite("Quirks of services do not stop the mail") struct ServiceQuirkTests {
    private static let inbox = FeedID("INBOX")
    /// Exchange Online, after the sign-in.
    private static let exchange =
        "IMAP4 IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR UIDPLUS MOVE ID UNSELECT "
        + "CHILDREN IDLE NAMESPACE LITERAL+"

    private func problem(
        _ verb: String, _ answer: String, _ capabilities: String = exchange
    ) async throws -> AccountError? {
        let memory = ServerInMemory.answering(capabilities: capabilities) { said, tag, _ in
            said == verb ? answer.replacing("#", with: tag) : nil
        }
        let session = memory.session()
        var found: AccountError?
        do throws(AccountError) { _ = try await session.mailboxes() } catch { found = error }
        await session.close()
        return found
    }

    /// Exchange, if IMAP is turned off for the mailbox.
    @Test func aMailboxWithoutIMAPSaysSo() async throws {
        let refused = try await problem("AUTHENTICATE", "# NO AUTHENTICATE failed.\r\n")
        #expect(refused == .authenticationRequired(reason: "AUTHENTICATE failed."))
        let words = "User is authenticated but not connected."
        #expect(try await problem("LIST", "# BAD \(words)\r\n") == .refused(words))
    }

    /// Exchange estimates sizes, and names no uses of folders; UIDs have gaps.
    @Test(arguments: [10, 400_000]) func sizesMayBeWrong(_ size: Int) async throws {
        let memory = ServerInMemory.with(Self.exchange) { settings in
            settings.answersWithArguments = { verb, tag, arguments in
                switch verb {
                case "LIST":
                    let names = [
                        "INBOX", "\"Sent Items\"", "\"Deleted Items\"", "Drafts", "\"Junk Email\"", "Archive",
                    ]
                    return names.map { "* LIST (\\HasNoChildren) \"/\" \($0)\r\n" }.joined() + "\(tag) OK\r\n"
                case "UID FETCH" where arguments.contains("RFC822.SIZE"):
                    return (1...3).map { uid in
                        "* \(uid) FETCH (UID \(uid) FLAGS (\\Seen) INTERNALDATE \"17-Jul-2026 02:44:25 +0000\" "
                            + "RFC822.SIZE \(size))\r\n"
                    }.joined() + "\(tag) OK FETCH completed.\r\n"
                default: return nil
                }
            }
        }
        memory.fill(1...3)
        let session = memory.session()
        let roles = Set(try await session.mailboxes().mailboxes.compactMap(\.role))
        #expect(roles == [.inbox, .sent, .trash, .drafts, .junk, .archive])
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        #expect(reader.held.count == 3 && reader.failures.isEmpty)
        #expect(reader.texts.allSatisfy { $0.contains("Hello") })
        await session.close()
    }

    /// Courier and Cyrus put everything below the inbox, and old ones can neither move nor expunge single messages.
    @Test func foldersBelowTheInboxAreSideBySide() async throws {
        let memory = ServerInMemory.with("IMAP4rev1 CHILDREN NAMESPACE IDLE QUOTA") { settings in
            settings.answersWithArguments = { verb, tag, _ in
                switch verb {
                case "NAMESPACE":
                    "* NAMESPACE ((\"INBOX.\" \".\")) NIL ((\"shared.\" \".\"))\r\n\(tag) OK Done\r\n"
                case "LIST":
                    ["INBOX", "INBOX.Sent", "INBOX.Trash", "INBOX.Work.2026"]
                        .map { "* LIST (\\HasNoChildren) \".\" \"\($0)\"\r\n" }.joined()
                        + "\(tag) OK Done\r\n"
                default: nil
                }
            }
        }
        memory.server.change { $0.setLabels([], adds: true, ["INBOX.Trash"]) }
        memory.fill(1...2)
        let session = memory.session()
        let mailboxes = try await session.mailboxes().mailboxes
        #expect(mailboxes.allSatisfy { $0.parentID == nil })
        #expect(mailboxes.map(\.name).sorted() == ["Inbox", "Sent", "Trash", "Work.2026"])
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        let one = RemoteAddress(feed: Self.inbox, id: try #require(reader.held.keys.min()))
        let move = RemoteMutation.move([one], from: gmailInbox, to: RemoteMailboxID("INBOX.Trash"))
        #expect(try await session.apply([move]) == [.done(newIDs: [:], mailbox: nil)])
        #expect(memory.server.texts(in: "INBOX.Trash") == [ServerInMemory.message(1)])
        try await reader.round(session)
        #expect(reader.held.count == 1)
        await session.close()
    }

    /// Zimbra lists address books and calendars among the folders, and opens none of them.
    @Test func aFolderThatHoldsNoMailLeavesTheOthers() async throws {
        let memory = ServerInMemory.with(ServerInMemory.folders) { settings in
            settings.answersWithArguments = { verb, tag, arguments in
                verb == "SELECT" && arguments.hasPrefix("Emailed")
                    ? "\(tag) NO [NOPERM] SELECT failed\r\n" : nil
            }
        }
        memory.server.change { $0.setLabels([], adds: true, ["Emailed Contacts", "Work"]) }
        memory.server.deliver(ServerInMemory.message(1), to: "Work")
        let session = memory.session()
        _ = try await session.mailboxes()
        var contacts = FeedReader(FeedID("Emailed Contacts"))
        await #expect(throws: AccountError.notFound) { try await contacts.round(session) }
        var work = FeedReader(FeedID("Work"))
        try await work.round(session)
        #expect(work.held.count == 1)
        await session.close()
    }

    /// Yahoo announces no IDLE at times: mail is fetched at intervals then.
    @Test func withoutIDLENothingIsPushed() async throws {
        let memory = ServerInMemory.with(ServerInMemory.folders.replacing(" IDLE", with: "")) { _ in }
        let session = memory.session()
        _ = try await session.mailboxes()
        #expect(await !session.features.contains(.push))
        await session.close()
    }
}
