import Foundation
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import SQLiteStorage

/// ORG-95: updates keep in memory what they lead to; other changes of the same commit must not be hidden by that.
@Suite("Updates beside other changes of a commit") struct UpdateTests {
    private static let label = Id<Mailbox>("label")
    private static let ids = (0..<4).map { Id<Email>("m\($0)") }

    private func withMail(_ body: (SQLiteStorage) async throws -> Void) async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            let label = Mailbox(id: Self.label, accountID: Sample.home, name: "Label")
            _ = try await store.commit(ChangeSet(Sample.account() + [.putMailbox(label)]))
            _ = try await store.commit(ChangeSet(Self.ids.map { Sample.email($0.rawValue) }))
            try await body(store)
            // The counts, calculated from the beginning.
            #expect(try await store.check() == [])
        }
    }

    private func update(
        _ id: Id<Email>, add: Set<Id<Mailbox>> = [], remove: Set<Id<Mailbox>> = [],
        mark: Set<Keyword> = [], unmark: Set<Keyword> = []
    ) -> StorageChange {
        .updateEmail(
            EmailUpdate(
                id, in: Sample.home, addKeywords: mark, removeKeywords: unmark, addMailboxes: add,
                removeMailboxes: remove))
    }

    private func changed(_ changes: [StorageChange], _ store: SQLiteStorage) async throws -> Set<DataType> {
        Set(try await store.commit(ChangeSet(changes)).states.map(\.type))
    }

    private func counts(_ id: Id<Mailbox>, _ store: SQLiteStorage) async throws -> MailboxCounts? {
        try await store.mailboxes([id], in: Sample.home).first?.counts
    }

    @Test func whatIsTakenBackIsNoChange() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            let (id, label) = (Self.ids[0], Self.label)
            #expect(
                try await changed([update(id, add: [label]), update(id, remove: [label])], store).isEmpty)
            #expect(
                try await changed([update(id, mark: [.seen]), update(id, unmark: [.seen])], store).isEmpty)
            #expect(try await changed([update(id, add: [Sample.inbox], unmark: [.flagged])], store).isEmpty)
            #expect(try await counts(label, store) == MailboxCounts())
        }
    }

    @Test func countsFollowEachUpdate() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            let changes =
                Self.ids.map { update($0, add: [Self.label]) } + [update(Self.ids[1], mark: [.seen])]
            #expect(try await changed(changes, store) == [.email, .mailbox])
            let expected = MailboxCounts(totalEmails: 4, unreadEmails: 3, totalThreads: 4, unreadThreads: 3)
            #expect(try await counts(Self.label, store) == expected)
        }
    }

    @Test func aReplacedMessageIsAChangeWhateverItsUpdatesDo() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            let id = Self.ids[0]
            let replaced = Sample.email(id.rawValue, text: "Other words")
            #expect(try await changed([replaced, update(id, add: [Sample.inbox])], store).contains(.email))
            let again = Sample.email(id.rawValue, text: "More words")
            #expect(
                try await changed([update(id, mark: [.seen]), again, update(id, mark: [.flagged])], store)
                    .contains(.email))
            let email = try #require(try await store.emails([id], in: Sample.home).first?.email)
            #expect(email.keywords == [.flagged])
        }
    }

    @Test func updatesBesideRemovals() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            let (id, label) = (Self.ids[0], Self.label)
            _ = try await store.commit(
                ChangeSet([
                    update(id, add: [label]), update(Self.ids[1], add: [label], remove: [Sample.inbox]),
                    .destroyEmail(Self.ids[2], in: Sample.home), .destroyMailbox(label, in: Sample.home),
                    update(id, mark: [.seen]),
                ]))
            // One was in the label only.
            let left = try await store.emails(Self.ids, in: Sample.home).map(\.email.id)
            #expect(left == [Self.ids[0], Self.ids[3]])
            let expected = MailboxCounts(totalEmails: 2, unreadEmails: 1, totalThreads: 2, unreadThreads: 1)
            #expect(try await counts(Sample.inbox, store) == expected)
        }
    }

    @Test func anUpdateThatIsRefusedLeavesAllAsItWas() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            for wrong in [
                update(Self.ids[1], remove: [Sample.inbox]), update(Self.ids[1], add: [Id("nowhere")]),
                update(Id("nothing"), mark: [.seen]),
            ] {
                await #expect(throws: StorageError.self) {
                    try await store.commit(ChangeSet([update(Self.ids[0], add: [Self.label]), wrong]))
                }
            }
            #expect(try await counts(Self.label, store) == MailboxCounts())
        }
    }

    /// A conversation of many messages that are all updated, in both orders.
    @Test func aLongConversationIsUpdated() async throws {
        try await withMail { (store: SQLiteStorage) async throws in
            func message(_ number: Int) -> StorageChange {
                let email = Email(
                    id: Id("t\(1_000 + number)"), accountID: Sample.home, blobID: Id("b\(number)"),
                    mailboxIDs: [Sample.inbox], keywords: [], size: 1,
                    receivedAt: Sample.start + Double(number),
                    header: EmailHeader(
                        messageID: ["t\(number)@mail.example"], references: ["root@mail.example"]))
                return .putEmail(email, EmailBody(structure: EmailBodyPart(type: "text/plain")))
            }
            _ = try await store.commit(ChangeSet((0..<100).map(message)))
            let ids = (0..<100).map { Id<Email>("t\(1_000 + $0)") }
            _ = try await store.commit(
                ChangeSet(
                    ids.map { update($0, add: [Self.label], mark: [.seen]) }
                        + ids.reversed().dropLast().map { update($0, unmark: [.seen]) }))
            let expected = MailboxCounts(
                totalEmails: 100, unreadEmails: 99, totalThreads: 1, unreadThreads: 1)
            #expect(try await counts(Self.label, store) == expected)
        }
    }
}
