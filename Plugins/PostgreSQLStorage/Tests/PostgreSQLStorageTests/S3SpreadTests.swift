import FoundationEssentials
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Large blobs stay where they are when their account is moved", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: S3Server.isInstalled, Comment(rawValue: S3Server.isNotInstalled)))
struct S3SpreadTests {
    private static let servers = ["home", "two", "three"]

    @Test func anAccountIsMovedWithoutItsObjects() async throws {
        let spread = try SpreadStore()
        let store = try await Self.store(spread)
        let bytes = S3Tests.bytes(3 << 20)
        try await S3Tests.write(bytes, "a", store)
        let before = try await S3Tests.names(store)
        try await spread.place(OwnDatabase.home, on: "two")
        #expect(try Self.rows(spread) == [0, 1, 0])
        try await Self.sweep(store)
        #expect(try await S3Tests.names(store) == before && before.count == 1)
        #expect(try await S3Tests.read("a", 0..<bytes.count, store) == bytes)

        // An upload goes on while its account is moved.
        let large = S3Tests.bytes(12 << 20)
        let upload = Task { try await S3Tests.write(large, "b", store) }
        for server in ["three", "home", "three"] { try await spread.place(OwnDatabase.home, on: server) }
        try await upload.value
        try await Self.sweep(store)
        #expect(try await S3Tests.names(store).count == 2)
        #expect(try await S3Tests.read("b", 0..<large.count, store) == large)
        #expect(try await store.check() == [])

        try await store.removeBlob(Id("a"), in: OwnDatabase.home)
        try await Self.sweep(store)
        #expect(try await S3Tests.names(store).count == 1)
        try await store.removeAccount(OwnDatabase.home)
        try await Self.sweep(store)
        #expect(try await S3Tests.names(store).isEmpty)
        #expect(try Self.rows(spread) == [0, 0, 0])
        await store.close()
    }

    /// Between the switch and its end, the old server still has rows of objects, and no blobs any more.
    @Test func theServerThatAnAccountHasLeftRemovesNoObjects() async throws {
        let spread = try SpreadStore()
        let store = try await Self.store(spread)
        try await S3Tests.write(S3Tests.bytes(3 << 20), "a", store)
        try await spread.place(OwnDatabase.home, on: "two")
        let row = try spread.connect("two").first("SELECT row_to_json(o)::text FROM blob_object o") {
            $0.text(0)
        }
        try spread.connect().run(
            "INSERT INTO blob_object SELECT * FROM json_populate_record(NULL::blob_object, $1::json)",
            .text(try #require(row)))
        try await Self.sweep(store)
        #expect(try await S3Tests.names(store).count == 1)
        #expect(try await S3Tests.read("a", 0..<9, store).count == 9)
        await store.close()
    }

    private static func store(_ spread: SpreadStore) async throws -> PostgreSQLStorage {
        let server = try S3Server.shared.get()
        _ = try await server.client()
        var settings = try ServerSettings(spread.settings)
        settings.s3 = try server.settings()
        let store = PostgreSQLStorage(server.host(dataFolder: try OwnDatabase.newFolder()), settings)
        _ = try await store.open()
        _ = try await store.commit(ChangeSet([.putAccount(SpreadStore.account("home"))]))
        return store
    }

    private static func sweep(_ store: PostgreSQLStorage) async throws {
        let open = try store.store()
        for server in open.servers { while let sweep = open.sweep, try await sweep.remove(50, server) > 0 {} }
    }

    /// How many objects each server knows.
    private static func rows(_ spread: SpreadStore) throws -> [Int] {
        try servers.map { server in
            try spread.connect(server).first("SELECT count(*) FROM blob_object") { $0.int(0) } ?? -1
        }
    }
}
