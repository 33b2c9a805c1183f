import Digest
import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Large blobs are in S3", .serialized,
    .enabled(if: S3Server.isInstalled, Comment(rawValue: S3Server.isNotInstalled)))
struct S3Tests {
    @Test(arguments: ConformanceCase.all(.storage).filter { $0.name.lowercased().contains("blob") })
    func keeps(_ promise: ConformanceCase) async throws {
        let server = try S3Server.shared.get()
        _ = try await server.client()
        let subject = ConformanceSubject { host in
            var settings = try ServerSettings(
                TestServer.settings(for: host.dataFolder, on: TestServer.shared.get()))
            settings.s3 = try server.settings(threshold: 1)
            return .storage(PostgreSQLStorage(server.host(dataFolder: host.dataFolder), settings))
        }
        #expect(try await promise.check(subject) == .kept)
    }

    @Test func twentyMegabytesComeBackEqual() async throws {
        try await withStore { store, _ in
            let bytes = Self.bytes(20_000_000)
            try await Self.write(bytes, "a", store)
            #expect(try await Self.read("a", 0..<bytes.count, store) == bytes)
            var read = Data()
            for offset in stride(from: 0, to: bytes.count, by: 1 << 20) {
                read += try await Self.read("a", offset..<offset + (1 << 20), store)
            }
            #expect(read == bytes)
            for start in [0, 5, StoredObject.piece - 3, (8 << 20) - 1, 19_999_990] {
                let range = start..<min(start + 10, bytes.count)
                #expect(try await Self.read("a", range, store) == bytes[range])
            }
            #expect(try await Self.read("a", 20_000_000..<20_000_001, store).isEmpty)
        }
    }

    @Test func theServerSeesNothingOfIt() async throws {
        try await withStore { store, database in
            let text = Data("Dear Anna, ".utf8)
            try await Self.write(Data([Data](repeating: text, count: 200_000).joined()), "a", store)
            try await Self.write(Data("small".utf8), "b", store)
            let names = try await Self.names(store)
            #expect(names.count == 1)
            let client = try #require(try store.store().objects?.client)
            let object = try await client.bytes(of: try #require(names.first), in: 0..<1_000_000)
            #expect(object?.firstRange(of: text) == nil)
            let chunks = try database.connect().rows("SELECT upload FROM blob_chunk") { $0.text(0) }
            #expect(chunks.count == 1)
        }
    }

    @Test func whatIsReplacedOrRemovedIsDeletedThere() async throws {
        try await withStore { store, _ in
            for id in ["a", "a", "b"] { try await Self.write(Self.bytes(2 << 20), id, store) }
            try await store.removeBlob(Id("b"), in: OwnDatabase.home)
            try await Self.sweep(store)
            #expect(try await Self.names(store).count == 1)
            #expect(try await Self.read("a", 0..<9, store).count == 9)
        }
    }

    @Test func aRemovedAccountLeavesNothingThere() async throws {
        try await withStore { store, database in
            for id in ["a", "b"] { try await Self.write(Self.bytes(2 << 20), id, store) }
            try await store.removeAccount(OwnDatabase.home)
            #expect(try await Self.names(store).isEmpty)
            #expect(try database.connect().rows("SELECT 1 FROM blob_object") { _ in true }.isEmpty)
        }
    }

    @Test func wipingLeavesNothingThere() async throws {
        try await withStore { store, _ in
            try await Self.write(Self.bytes(2 << 20), "a", store)
            let objects = try #require(try store.store().objects)
            try await store.wipe()
            #expect(try await Self.names(objects).isEmpty)
        }
    }

    /// A kernel that is killed during an upload leaves the row that announced it.
    @Test func whatACrashLeftIsRemovedAndWhatGoesOnIsNot() async throws {
        try await withStore { store, database in
            let objects = try #require(try store.store().objects)
            for upload in ["crashed", "going"] {
                let account = try database.connect().announceObject(
                    of: OwnDatabase.home, upload, key: Data.randomSecret())
                let name = objects.name(try #require(account), upload)
                _ = try await objects.client.send(
                    .init(method: "POST", name: name, items: [("uploads", "")], body: Data(), purpose: "test")
                )
                try await objects.client.put(name, parts: 1, { _ in Data(count: 9) }, stored: {})
            }
            try database.connect().execute(
                "UPDATE blob_object SET renewed = now() - interval '2 hours' WHERE upload = 'crashed'")
            try await Self.sweep(store)
            let names = try await Self.names(store)
            #expect(names == [objects.name(1, "going")])
            let begun = try await Self.list("uploads", "Upload", objects)
            #expect(begun.count == 1)
        }
    }

    @Test func anUploadThatWasGivenUpIsNotFinished() async throws {
        try await withStore { store, database in
            let key = Data.randomSecret()
            let account = try database.connect().announceObject(of: OwnDatabase.home, "late", key: key)
            let object = StoredObject(account: try #require(account), upload: "late", key: key, size: 9)
            try database.connect().execute("UPDATE blob_object SET renewed = '-infinity'")
            try await Self.sweep(store)
            #expect(try database.connect().renewObject(object) == false)
            #expect(try database.connect().finishObject(object) == false)
        }
    }

    @Test func anUploadWhoseRowIsGoneLeavesNothing() async throws {
        try await withStore { store, _ in
            let open = try store.store()
            let objects = try #require(open.objects)
            let object = StoredObject(account: 1, upload: "late", key: Data.randomSecret(), size: 9)
            try await objects.client.put(
                objects.name(1, "late"), parts: 1, { _ in Data(count: 9) }, stored: {})
            await store.abandon(object, of: OwnDatabase.home, objects, open)
            #expect(try await Self.names(objects).isEmpty)
        }
    }

    /// As a whole, and in parts.
    @Test(arguments: [2 << 20, 9_000_000]) func whatWasDamagedOnTheWayIsNotStored(_ size: Int) async throws {
        let damage = PlainNetwork { $0.isEmpty ? $0 : Data([$0[$0.startIndex] ^ 1]) + $0.dropFirst() }
        let server = try S3Server.shared.get()
        try await withStore(server.host(clock: HastyClock(), network: damage)) { store, _ in
            let error = await #expect(throws: StorageError.self) {
                try await Self.write(Self.bytes(size), "a", store)
            }
            #expect("\(error as Any)".contains("checksum"))
            let info = try await store.blobInfo(Id("a"), in: OwnDatabase.home)
            #expect(info == nil)
        }
    }

    @Test func whatWasChangedThereIsNotRead() async throws {
        try await withStore { store, _ in
            try await Self.write(Self.bytes(2 << 20), "a", store)
            let client = try #require(try store.store().objects?.client)
            let name = try #require(try await Self.names(store).first)
            var bytes = try #require(try await client.bytes(of: name, in: 0..<3_000_000))
            bytes[1_000_000] ^= 1
            let changed = bytes
            try await client.put(name, parts: 1, { _ in changed }, stored: {})
            #expect(try await Self.read("a", 0..<10, store).count == 10)
            await #expect(throws: StorageError.self) { try await Self.read("a", 0..<(2 << 20), store) }
        }
    }
}

// MARK: Helpers

extension S3Tests {
    func withStore(
        _ host: HostServices? = nil, _ body: (PostgreSQLStorage, OwnDatabase) async throws -> Void
    ) async throws {
        let server = try S3Server.shared.get()
        _ = try await server.client()
        let database = try OwnDatabase(host: host ?? server.host, s3: try server.settings())
        try await database.withStore { store in try await body(store, database) }
    }

    static func bytes(_ count: Int) -> Data {
        var state: UInt64 = 7
        var bytes = Data(capacity: count + 8)
        while bytes.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(count)
    }

    static func write(_ bytes: Data, _ id: String, _ store: PostgreSQLStorage) async throws {
        let info = BlobInfo(
            id: Id(id), accountID: OwnDatabase.home, type: "application/pdf", retention: .kept)
        let writer = try await store.writeBlob(info)
        for piece in bytes.slices(of: 1 << 20) { try await writer.write(piece) }
        try await writer.finish()
    }

    static func read(_ id: String, _ range: Range<Int>, _ store: PostgreSQLStorage) async throws -> Data {
        try await store.readBlob(
            Id(id), in: OwnDatabase.home, offset: range.lowerBound, count: range.count)
    }

    /// Removes what is not used, before the store does so by itself.
    static func sweep(_ store: PostgreSQLStorage) async throws {
        let open = try store.store()
        while let sweep = open.sweep, try await sweep.remove(50, open.home) > 0 {}
        // The store's own sweep may be removing some of them just now.
        let isLeft = "SELECT EXISTS (SELECT 1 FROM blob_object WHERE doomed)"
        while try await store.read({ connection throws(StorageError) in
            try connection.first(isLeft) { $0.flag(0) }
        }) == true { await Task.yield() }
    }

    /// Of the objects of a store.
    static func names(_ store: PostgreSQLStorage) async throws -> [String] {
        try await names(try #require(try store.store().objects))
    }

    static func names(_ objects: ObjectStore) async throws -> [String] {
        try await list("list-type", "Key", objects)
    }

    static func list(_ what: String, _ element: String, _ objects: ObjectStore) async throws -> [String] {
        let answer = try await objects.client.send(
            .init(
                method: "GET", items: [(what, what == "uploads" ? "" : "2"), ("prefix", objects.prefix)],
                purpose: "test"))
        return S3Answer(answer?.body ?? Data()).all(element)
    }
}

/// Does not wait.
struct HastyClock: HostClock {
    var now: Date { Date() }
    func sleep(for seconds: Double) async throws(CancellationError) {
        guard seconds < 60 else { return try await RealClock().sleep(for: seconds) }
    }
}
