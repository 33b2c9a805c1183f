import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Store

@Suite("Several kernels work on one store", .timeLimit(.minutes(1))) struct OtherKernelTests {
    private let disk = MemoryStorage.Disk()
    private let key = DocumentKey("settings", "theme")

    private func open() async throws -> MailStore {
        let store = MailStore(MemoryStorage(on: disk))
        _ = try await store.open()
        return store
    }

    @Test func aCommitOfAnotherKernelIsNews() async throws {
        let (one, other) = (try await open(), try await open())
        var news = one.news.listen().makeAsyncIterator()
        try await other.commit([.putDocument(Document(key, value: "dark"))])
        let heard = await news.next()
        let state = try await one.read.state(of: .documents("settings"), in: nil)
        #expect(heard == [StateNews.Key(type: .documents("settings"), accountID: nil): state])
        #expect(try await one.read.document(key)?.value == "dark")
    }

    @Test func aStoreThatIsOpenedAgainHearsOfOthers() async throws {
        let (one, other) = (try await open(), try await open())
        await one.close()
        _ = try await one.open()
        var news = one.news.listen().makeAsyncIterator()
        try await other.commit([.putDocument(Document(key, value: "light"))])
        #expect(await news.next()?.count == 1)
    }

    @Test func aKernelThatLostItsTurnChangesNothing() async throws {
        let (one, other) = (try await open(), try await open())
        let account = Account(
            id: Id("home"), pluginID: "test", address: "me@home.example", displayName: "Me", addedAt: .now)
        try await one.commit([.putAccount(account)])
        let lease = try #require(try await one.sharing?.takeLease(of: account.id))
        #expect(try await other.sharing?.takeLease(of: account.id) == nil)
        try await one.under(lease).commit([.putDocument(Document(key, value: "dark"))])
        await one.close()
        _ = try await one.open()
        #expect(try await other.sharing?.takeLease(of: account.id) != nil)
        await #expect(throws: StorageError.leaseLost(lease)) {
            try await one.under(lease).commit([.putDocument(Document(key, value: "light"))])
        }
        #expect(try await one.read.document(key)?.value == "dark")
    }
}
