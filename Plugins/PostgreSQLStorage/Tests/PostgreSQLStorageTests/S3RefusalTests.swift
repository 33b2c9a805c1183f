import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "An S3 server that cannot be used is explained",
    .enabled(if: S3Server.isInstalled, Comment(rawValue: S3Server.isNotInstalled)))
struct S3RefusalTests {
    @Test func aWrongSecretKeyIsNamed() async throws {
        let server = try S3Server.shared.get()
        try await expect(
            ["127.0.0.1", "refused the access key or its secret key"], server.host(secret: "wrong"),
            try server.settings())
    }

    @Test func anUnknownAccessKeyIsNamed() async throws {
        let server = try S3Server.shared.get()
        try await expect(
            ["refused the access key or its secret key"], server.host, try server.settings(key: "stranger"))
    }

    @Test func aKeyThatMayOnlyReadIsNamed() async throws {
        let server = try S3Server.shared.get()
        try await expect(
            ["does not allow the access key to store attachments", "to delete attachments"],
            server.host(secret: "readersecret"), try server.settings(key: "reader"))
    }

    @Test func aMissingBucketIsNamed() async throws {
        let server = try S3Server.shared.get()
        let client = try await server.client(bucket: "nowhere")
        let error = await #expect(throws: StorageError.self) { try await client.bytes(of: "a", in: 0..<1) }
        #expect("\(error as Any)".contains("The bucket “nowhere” does not exist"))
    }

    @Test func aWrongClockIsNamed() async throws {
        let server = try S3Server.shared.get()
        try await expect(
            ["differ by 60 minutes"], server.host(clock: RealClock(error: -3_600)), try server.settings())
    }

    @Test func aServerThatIsNotThereIsNamed() async throws {
        let server = try S3Server.shared.get()
        let settings = try S3Settings([
            "endpoint": "https://127.0.0.1:9", "bucket": "mail", "accessKey": "test",
        ])
        try await expect(
            ["Attachments cannot be stored or read: the S3 server 127.0.0.1:9"], server.host, settings)
    }

    @Test func aGoodServerIsFine() async throws {
        let server = try S3Server.shared.get()
        try await expect([], server.host, try server.settings())
    }

    /// - Parameter words: in what the check says.
    private func expect(_ words: [String], _ host: HostServices, _ settings: S3Settings) async throws {
        _ = try await S3Server.shared.get().client()
        let database = try OwnDatabase(host: host, s3: settings)
        try await database.withStore { store in
            let problems = await store.checkObjects()
            #expect(problems.isEmpty == words.isEmpty, "\(problems)")
            for word in words { #expect(problems.contains { $0.contains(word) }, "\(problems)") }
        }
    }

    @Test func aMissingSecretKeyIsNamed() async throws {
        let server = try S3Server.shared.get()
        let database = try OwnDatabase(host: server.host(secret: nil), s3: try server.settings())
        let error = await #expect(throws: StorageError.self) { try await database.store.open() }
        #expect("\(error as Any)".contains("mailkernel plugins secret org.mailkernel.postgresql s3"))
    }

    @Test func blobsOfAServerThatIsNoLongerSetUpAreMissed() async throws {
        let server = try S3Server.shared.get()
        _ = try await server.client()
        let database = try OwnDatabase(host: server.host, s3: try server.settings())
        try await database.withStore { store in try await S3Tests.write(S3Tests.bytes(2 << 20), "a", store) }
        let other = database.anotherStore(s3: nil)
        _ = try await other.open()
        let error = await #expect(throws: StorageError.self) { try await S3Tests.read("a", 0..<1, other) }
        #expect("\(error as Any)".contains("the setting “s3” is missing"))
        await #expect(throws: StorageError.self) { try await other.wipe() }
        await other.close()
    }

    /// Its own server, which other tests do not miss.
    @Test func whatAKilledServerHadConfirmedIsThereWhenItIsBack() async throws {
        let server = try S3Server()
        let database = try OwnDatabase(host: server.host, s3: try server.settings())
        try await database.withStore { store in
            let bytes = S3Tests.bytes(9_000_000)
            try await S3Tests.write(bytes, "a", store)
            try server.kill()
            await #expect(throws: StorageError.self) { try await S3Tests.write(bytes, "b", store) }
            await #expect(throws: StorageError.self) { try await S3Tests.read("a", 0..<bytes.count, store) }
            try server.start()
            let deadline = Date() + 60
            while (try? await S3Tests.read("a", 0..<1, store)) == nil, Date() < deadline {}
            #expect(try await S3Tests.read("a", 0..<bytes.count, store) == bytes)
            try await S3Tests.write(bytes, "b", store)
            #expect(try await S3Tests.read("b", 0..<bytes.count, store) == bytes)
        }
    }
}
