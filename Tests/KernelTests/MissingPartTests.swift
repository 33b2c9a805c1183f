import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Store

@Suite("A store may leave out parts") struct MissingPartTests {
    private static let account = Id<Account>("home")
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// Ten emails in the inbox, one a day. The service knows all but `e2`, and `e1` is a draft too.
    private func store(hasParts: Bool) async throws -> MailStore {
        let backend = InterceptedStorage(MemoryStorage(), hasParts: hasParts) {
            (_) async throws(StorageError) in
        }
        let store = MailStore(backend)
        _ = try await store.open()
        let account = Account(
            id: Self.account, pluginID: "test", address: "me@home.example", displayName: "Me",
            addedAt: Self.start)
        try await store.commit([.putAccount(account)])
        for (id, role) in [("inbox", Mailbox.Role.inbox), ("drafts", .drafts)] {
            try await store.commit([
                .putMailbox(Mailbox(id: Id(id), accountID: Self.account, name: id, role: role))
            ])
        }
        for number in 0..<10 { try await store.commit(changes(toAdd: number)) }
        return store
    }

    private func changes(toAdd number: Int) -> [StorageChange] {
        let id = Id<Email>("e\(number)")
        let email = Email(
            id: id, accountID: Self.account, blobID: Id("b\(number)"),
            mailboxIDs: number == 1 ? [Id("inbox"), Id("drafts")] : [Id("inbox")], keywords: [], size: number,
            receivedAt: Self.start + Double(number) * 86_400, header: EmailHeader(messageID: ["\(id)@test"]))
        let body = EmailBody(structure: EmailBodyPart(partID: "1", size: 0, type: "text/plain"))
        let name = RemoteRef(
            emailID: id, accountID: Self.account, feed: Id("inbox"), remoteID: Id("\(number)"))
        return [.putEmail(email, body)] + (number == 2 ? [] : [.putRemote(name)])
    }

    private func left(_ store: MailStore) async throws -> String {
        let all = EmailQuery(in: [Self.account], sort: [EmailSort(.size)])
        return try await store.read.queryEmails(all).hits.map(\.emailID.rawValue).joined(separator: " ")
    }

    @Test(arguments: [true, false]) func oldMailIsRemovedInSteps(_ hasParts: Bool) async throws {
        let store = try await store(hasParts: hasParts)
        var news = store.news.listen().makeAsyncIterator()
        var removed: [Int] = []
        while removed.last != 0 {
            removed.append(
                try await store.purge(
                    before: Self.start + 6 * 86_400, in: Self.account, sparing: [.drafts], limit: 3))
        }
        #expect(removed == [3, 1, 0])
        #expect(try await left(store) == "e1 e2 e6 e7 e8 e9")
        let types = await news.next()?.keys.map(\.type)
        #expect(types?.contains(.email) == true)
    }

    /// A draft that was saved between looking and removing stays.
    @Test func aDraftOfTheLastMomentStays() async throws {
        let memory = MemoryStorage()
        let before: InterceptedStorage.Before = { (call) async throws(StorageError) in
            guard call == "remoteRefs" else { return }
            let update = EmailUpdate(Id("e0"), in: Self.account, addMailboxes: [Id("drafts")])
            _ = try memory.commit(ChangeSet([.updateEmail(update)]))
        }
        let store = MailStore(InterceptedStorage(memory, hasParts: false, before: before))
        _ = try await store.open()
        let account = Account(
            id: Self.account, pluginID: "test", address: "me@home.example", displayName: "Me",
            addedAt: Self.start)
        try await store.commit(
            [
                .putAccount(account),
                .putMailbox(Mailbox(id: Id("inbox"), accountID: Self.account, name: "inbox", role: .inbox)),
                .putMailbox(
                    Mailbox(id: Id("drafts"), accountID: Self.account, name: "drafts", role: .drafts)),
            ] + changes(toAdd: 0))
        let removed = try await store.purge(
            before: Self.start + 86_400, in: Self.account, sparing: [.drafts], limit: 3)
        #expect(removed == 0)
        #expect(try await left(store) == "e0")
    }

    @Test func withoutCareTheUserReadsWhy() async throws {
        let store = try await store(hasParts: false)
        await #expect(throws: StorageError.unsupported("This store does not report how much space it uses."))
        {
            try await store.usage()
        }
        await #expect(throws: StorageError.unsupported("This store has no cache that can be cleared.")) {
            try await store.clearCache()
        }
    }

    @Test func withoutInsightsNothingIsSorted() async throws {
        let store = try await store(hasParts: false)
        #expect(try await store.insights.emailsWithoutInsight(by: "m", in: Self.account, limit: 9).isEmpty)
        let insight = EmailInsight(
            emailID: Id("e1"), accountID: Self.account, modelID: "m", category: .social)
        await #expect(throws: StorageError.unsupported("This store does not keep categories and summaries."))
        {
            try await store.commit([.putInsight(insight)])
        }
    }
}
