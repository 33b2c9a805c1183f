import Foundation
import MailKernelAPI
import Testing

@testable import Mail

/// FR-SYNC-10: what becomes of each message of a conversation, by where it is and where it is looked at.
@Suite("The meaning of actions") struct ActionMeaningTests {
    private static let account = Id<Account>("a")
    private static let mailboxes: [Id<Mailbox>: Mailbox] = {
        let roles: [Mailbox.Role] = [.inbox, .drafts, .sent, .archive, .junk, .trash, .flagged]
        let all =
            ["Work", "Lists", "Snoozed"].map { Mailbox(id: Id($0), accountID: account, name: $0) }
            + roles.map { Mailbox(id: Id($0.rawValue), accountID: account, name: $0.rawValue, role: $0) }
        return Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    }()
    private static let labels = Places(mailboxes: mailboxes, hasLabels: true)
    private static let folders = Places(mailboxes: mailboxes, hasLabels: false)

    /// The emails are named by where they are: `inbox+Work`.
    private static func conversation(_ names: [String], at mailbox: String?, _ places: Places) -> Conversation
    {
        let emails = names.map { name in
            Email(
                id: Id(name), accountID: account, blobID: Id(name),
                mailboxIDs: Set(name.split(separator: "+").map { Id(String($0)) }),
                keywords: name.hasPrefix("drafts") ? [.draft] : [], size: 1, receivedAt: Date(),
                header: EmailHeader())
        }
        return Conversation(emails: emails, mailboxID: mailbox.map { Id($0) }, places: places)
    }

    /// What becomes of each email that changes: `-inbox+archive`.
    private static func outcome(
        _ verb: MailVerb, _ names: [String], at mailbox: String?, _ places: Places
    ) throws -> [String: String] {
        let updates = try ActionMeaning(verb: verb, places: places)
            .updates(of: conversation(names, at: mailbox, places)).filter { !$0.isEmpty }
        return Dictionary(
            updates.map { update in
                let signs =
                    update.removeMailboxes.map { "-\($0.rawValue)" }.sorted()
                    + update.addMailboxes.map { "+\($0.rawValue)" }.sorted()
                    + update.removeKeywords.map { "-\($0.rawValue)" }.sorted()
                    + update.addKeywords.map { "+\($0.rawValue)" }.sorted()
                return (update.id.rawValue, signs.joined())
            }, uniquingKeysWith: { first, _ in first })
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let verb: MailVerb
        let emails: [String]
        let at: [String?]
        var places = [ActionMeaningTests.labels, ActionMeaningTests.folders]
        let outcome: [String: String]

        var testDescription: String { why }
    }

    static let all = ["inbox+Work", "inbox+flagged", "Lists", "sent", "drafts", "trash"]
    static let cases = [
        Case(
            why: "the archive takes messages out of the inbox and out of nothing else", verb: .archive,
            emails: all, at: [nil, "inbox", "Work"], places: [labels],
            outcome: ["inbox+Work": "-inbox+archive", "inbox+flagged": "-inbox+archive"]),
        Case(
            why: "in folders, too", verb: .archive, emails: ["inbox", "Work", "sent"], at: [nil],
            places: [folders], outcome: ["inbox": "-inbox+archive"]),
        Case(
            why: "a message to oneself stays in Sent", verb: .archive, emails: ["inbox+sent"], at: [nil],
            places: [labels], outcome: ["inbox+sent": "-inbox+archive"]),
        Case(
            why: "a folder's messages are archived", verb: .archive, emails: ["Work", "sent", "drafts"],
            at: [nil], places: [folders], outcome: ["Work": "-Work+archive"]),
        Case(
            why: "only from the folder that is looked at", verb: .archive, emails: ["Work", "Lists"],
            at: ["Work"], places: [folders], outcome: ["Work": "-Work+archive"]),
        Case(
            why: "what has a label is archived already", verb: .archive, emails: ["Work", "sent"], at: [nil],
            places: [labels], outcome: [:]),
        Case(
            why: "sent messages are not archived", verb: .archive, emails: ["sent"], at: ["sent"],
            places: [folders], outcome: [:]),
        Case(
            why: "a conversation in Trash comes back", verb: .archive, emails: ["inbox", "trash"],
            at: ["trash"], outcome: ["trash": "-trash+archive"]),
        Case(
            why: "a conversation in Spam comes back", verb: .notSpam, emails: ["inbox", "junk"],
            at: ["junk"], outcome: ["junk": "-junk+inbox"]),
        Case(
            why: "Trash takes all but drafts", verb: .trash,
            emails: ["inbox+Work", "sent", "archive", "drafts", "trash"], at: [nil, "inbox", "sent"],
            places: [labels],
            outcome: [
                "inbox+Work": "-Work-inbox+trash", "sent": "-sent+trash", "archive": "-archive+trash",
            ]),
        Case(
            why: "in Drafts, Trash takes drafts", verb: .trash, emails: ["inbox+Work", "drafts"],
            at: ["drafts"], outcome: ["drafts": "-drafts+trash"]),
        Case(
            why: "a conversation of drafts goes to Trash", verb: .trash, emails: ["drafts"], at: [nil],
            outcome: ["drafts": "-drafts+trash"]),
        Case(
            why: "Spam takes what others wrote", verb: .spam,
            emails: ["inbox+Work", "Lists", "sent", "drafts", "trash"], at: [nil], places: [labels],
            outcome: ["inbox+Work": "-Work-inbox+junk", "Lists": "-Lists+junk"]),
        Case(why: "one's own mail is no spam", verb: .spam, emails: ["sent"], at: [nil], outcome: [:]),
        Case(
            why: "a search moves what others wrote and leaves its labels", verb: .move(Id("Lists")),
            emails: ["inbox+Work", "archive", "sent", "drafts", "trash"], at: [nil], places: [labels],
            outcome: ["inbox+Work": "-inbox+Lists", "archive": "-archive+Lists"]),
        Case(
            why: "a mailbox moves the messages in it", verb: .move(Id("Lists")),
            emails: ["Work+inbox", "inbox", "sent"], at: ["Work"], places: [labels],
            outcome: ["Work+inbox": "-Work+Lists"]),
        Case(
            why: "a move to the same mailbox changes nothing", verb: .move(Id("Work")), emails: ["Work"],
            at: ["Work", nil], outcome: [:]),
        Case(
            why: "a label is added to all but drafts", verb: .label(Id("Work")),
            emails: ["inbox", "Work", "drafts"], at: [nil], places: [labels], outcome: ["inbox": "+Work"]),
        Case(
            why: "a message without another label is archived", verb: .unlabel(Id("Work")),
            emails: ["Work", "Work+inbox", "Lists"], at: ["Work"], places: [labels],
            outcome: ["Work": "-Work+archive", "Work+inbox": "-Work"]),
        Case(
            why: "reading is of all, unread of the newest", verb: .read, emails: ["inbox", "sent"], at: [nil],
            outcome: ["inbox": "+$seen", "sent": "+$seen"]),
        Case(
            why: "a star goes to the newest", verb: .star, emails: ["inbox", "sent"], at: [nil],
            outcome: ["sent": "+$flagged"]),
        Case(
            why: "muting archives and marks all", verb: .mute, emails: ["inbox", "sent"], at: [nil],
            outcome: ["inbox": "-inbox+archive+$muted", "sent": "+$muted"]),
        Case(
            why: "snoozing takes what is in the inbox out of it", verb: .snooze(until: .distantFuture),
            emails: ["inbox+Work", "sent", "Lists"], at: [nil, "inbox", "Work"], places: [labels],
            outcome: ["inbox+Work": "-inbox+Snoozed"]),
        Case(
            why: "in folders, too", verb: .snooze(until: .distantFuture), emails: ["inbox", "sent", "Work"],
            at: [nil, "inbox"], places: [folders], outcome: ["inbox": "-inbox+Snoozed"]),
        Case(
            why: "without any there, what is in the mailbox shown", verb: .snooze(until: .distantFuture),
            emails: ["Work", "Lists", "sent"], at: ["Work"], places: [folders],
            outcome: ["Work": "-Work+Snoozed"]),
        Case(
            why: "a snoozed message stays where it is", verb: .snooze(until: .distantFuture),
            emails: ["Snoozed", "archive"], at: [nil, "Snoozed"], outcome: [:]),
        Case(
            why: "it returns to the inbox and keeps its labels", verb: .unsnooze,
            emails: ["Snoozed+Work", "archive"], at: [nil, "Snoozed"], places: [labels],
            outcome: ["Snoozed+Work": "-Snoozed+inbox"]),
        Case(
            why: "what is not snoozed does not", verb: .unsnooze, emails: ["archive", "Work", "trash"],
            at: [nil], outcome: [:]),
    ]

    @Test(arguments: cases) func everyConversation(_ one: Case) throws {
        for places in one.places {
            for mailbox in one.at {
                let outcome = try Self.outcome(one.verb, one.emails, at: mailbox, places)
                #expect(outcome == one.outcome, "at \(mailbox ?? "a search")")
            }
        }
    }

    @Test(
        arguments: [
            (["trash", "junk", "drafts"], nil, ["trash", "junk"]), (["trash", "inbox"], nil, []),
            (["trash", "inbox"], "trash", ["trash"]), (["drafts"], nil, []),
        ] as [([String], String?, [String])])
    func forGood(_ emails: [String], _ mailbox: String?, _ doomed: [String]) {
        let conversation = Self.conversation(emails, at: mailbox, Self.labels)
        #expect(conversation.doomed.map(\.id.rawValue) == doomed)
    }

    /// Every verb has a name that leads back to it.
    @Test(
        arguments: [
            "archive", "trash", "spam", "notSpam", "read", "unread", "star", "unstar", "mute", "unmute",
            "unsnooze", "destroy",
        ])
    func aVerbIsKnownByItsName(_ name: String) {
        #expect(MailVerb(name: name, mailboxID: nil)?.name == name)
        #expect(MailVerb(name: name, mailboxID: Id("X")) == nil)
        #expect(MailVerb(name: "move", mailboxID: nil) == nil)
        let date = Date(timeIntervalSince1970: 1)
        #expect(MailVerb(name: name, mailboxID: nil, until: date) == nil)
        #expect(MailVerb(name: "snooze", mailboxID: nil, until: date)?.name == "snooze")
        #expect(MailVerb(name: "snooze", mailboxID: nil) == nil)
    }

    @Test(arguments: ["move", "label", "unlabel"])
    func aVerbWithAPlaceIsKnownByItsName(_ name: String) {
        let verb = MailVerb(name: name, mailboxID: Id("X"))
        #expect(verb?.name == name && verb?.mailboxID == Id("X"))
        #expect(MailVerb(name: "update", mailboxID: nil) == nil && MailVerb.update.name == "update")
    }
}
