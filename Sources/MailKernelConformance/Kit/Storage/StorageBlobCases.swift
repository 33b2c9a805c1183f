import FoundationEssentials
import MailKernelAPI

/// Bytes of messages and attachments.
let storageBlobCases: [ConformanceCase] = [
    storageCase("aBlobComesBackEqual", "Written in pieces, read as one.") { store in
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let info = BlobInfo(
            id: Id("b"), accountID: Fixture.home, type: "image/png", name: "a/b \"ü\".png", retention: .kept)
        let writer = try await store.backend.writeBlob(info)
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            try await writer.write(Data(bytes.dropFirst(start).prefix(65_536)))
        }
        try await writer.write(Data())
        try await writer.finish()
        var expected = info
        expected.size = bytes.count
        try await expectEqual(
            store.backend.blobInfo(Id("b"), in: Fixture.home), expected, "what is known of it")
        let read = try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: .max)
        try expect(read == bytes, "\(bytes.count) bytes came back as \(read.count), or as others")
    },
    storageCase("anyRangeCanBeRead", "Fewer bytes only at the end, none after it.") { store in
        try await store.writeBlob("b", Data("0123456789".utf8), .kept)
        let table = [
            (0, 3, "012"), (7, 9, "789"), (9, 1, "9"), (10, 5, ""), (99, 5, ""), (3, 0, ""), (.max, .max, ""),
        ]
        for (offset, count, expected) in table {
            let bytes = try await store.backend.readBlob(
                Id("b"), in: Fixture.home, offset: offset, count: count)
            try expectEqual(String(decoding: bytes, as: UTF8.self), expected, "\(count) bytes from \(offset)")
        }
    },
    storageCase("anUnfinishedBlobIsNotThere", "Invisible before `finish`, and after reopening.") {
        store in
        let info = BlobInfo(id: Id("b"), accountID: Fixture.home, type: "text/plain", retention: .kept)
        let writer = try await store.backend.writeBlob(info)
        try await writer.write(Data("half".utf8))
        try await expectEqual(store.blobs("b"), "", "the blob before it is finished")
        try await expectNotFound("reading it") {
            try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 9)
        }
        try await store.reopen()
        try await expectEqual(store.blobs("b"), "", "the blob after reopening")
        guard let care = store.backend.parts.care else { return }
        try await expectEqual(care.usage().accounts.first?.attachments, 0, "bytes of attachments")
    },
    storageCase("aDiscardedBlobIsGone", "And a previous version stays.") { store in
        try await store.writeBlob("b", Data("old".utf8), .kept)
        let info = BlobInfo(id: Id("b"), accountID: Fixture.home, type: "text/plain", retention: .kept)
        let writer = try await store.backend.writeBlob(info)
        try await writer.write(Data("new".utf8))
        await writer.discard()
        let bytes = try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 9)
        try expectEqual(String(decoding: bytes, as: UTF8.self), "old", "the blob")
    },
    storageCase("aBlobCanBeReadWhileItIsReplaced", "Either the old or the new one is read.") { store in
        try await store.writeBlob("b", Data("one".utf8), .kept)
        let isDone = Watched(false)
        async let replaced: Void = {
            defer { isDone.withLock { $0 = true } }
            for round in 0..<60 {
                try await store.writeBlob("b", Data((round % 2 == 0 ? "two" : "one").utf8), .kept)
            }
        }()
        repeat {
            let bytes = try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 9)
            let text = String(decoding: bytes, as: UTF8.self)
            try expect(text == "one" || text == "two", "the blob reads '\(text)'")
            await Task.yield()
        } while !isDone.value
        try await replaced
    },
    storageCase("aBlobIsReplacedAsAWhole", "The last one finished is returned.") { store in
        try await store.writeBlob("b", Data("long text".utf8), .cached)
        try await store.writeBlob("b", Data("short".utf8), .kept)
        let bytes = try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 99)
        try expectEqual(String(decoding: bytes, as: UTF8.self), "short", "the blob")
        let info = try await store.backend.blobInfo(Id("b"), in: Fixture.home)
        try expectEqual(info?.retention, .kept, "its retention")
        try expectEqual(info?.size, 5, "its size")
    },
    storageCase("anEmptyBlobIsABlob", "A blob without bytes is valid.") { store in
        try await store.writeBlob("b", Data(), .kept)
        try await expectEqual(store.backend.blobInfo(Id("b"), in: Fixture.home)?.size, 0, "the size")
        let bytes = try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 9)
        try expectEqual(bytes, Data(), "the bytes")
    },
    storageCase("aRemovedBlobIsGone", "Removing a missing blob is harmless.") { store in
        try await store.writeBlob("b", Data("x".utf8), .kept)
        try await store.backend.removeBlob(Id("b"), in: Fixture.home)
        try await store.backend.removeBlob(Id("b"), in: Fixture.home)
        try await expectEqual(store.blobs("b"), "", "the blob")
        try await expectNotFound("reading it") {
            try await store.backend.readBlob(Id("b"), in: Fixture.home, offset: 0, count: 9)
        }
    },
    storageCase("blobsBelongToAccounts", "The same id in two accounts is two blobs.") { store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.writeBlob("b", Data("home".utf8), .kept)
        try await store.writeBlob("b", Data("work".utf8), .kept, of: Fixture.work)
        try await store.backend.removeBlob(Id("b"), in: Fixture.home)
        let bytes = try await store.backend.readBlob(Id("b"), in: Fixture.work, offset: 0, count: 9)
        try expectEqual(String(decoding: bytes, as: UTF8.self), "work", "the blob of the other account")
        try await expectNotFound("writing a blob of no account") {
            let info = BlobInfo(id: Id("b"), accountID: Id("nowhere"), type: "text/plain", retention: .kept)
            let writer = try await store.backend.writeBlob(info)
            try await writer.finish()
        }
    },
    storageCase("theCacheHasALimit", "The least recently used goes first; reading counts as use.") { store in
        try await store.commit(.putAccount(Fixture.account(Fixture.home, cacheLimit: 1_000)))
        for id in ["a", "b", "c"] { try await store.writeBlob(id, Data(count: 300), .cached) }
        try await expectEqual(store.blobs("a b c"), "a b c", "900 bytes in a cache of 1,000")
        _ = try await store.backend.readBlob(Id("a"), in: Fixture.home, offset: 0, count: 1)
        try await store.writeBlob("d", Data(count: 300), .cached)
        try await expectEqual(store.blobs("a b c d"), "a c d", "the cache after another 300 bytes")
        try await store.writeBlob("e", Data(count: 700), .cached)
        try await expectEqual(store.blobs("a b c d e"), "d e", "the cache after another 700 bytes")
    },
    storageCase("keptBlobsAreNoCache", "They do not count and are not removed.") { store in
        try await store.commit(.putAccount(Fixture.account(Fixture.home, cacheLimit: 1_000)))
        try await store.writeBlob("kept", Data(count: 5_000), .kept)
        try await store.writeBlob("a", Data(count: 900), .cached)
        try await expectEqual(store.blobs("kept a"), "kept a", "a kept blob and a cached one")
        try await store.writeBlob("b", Data(count: 900), .cached)
        try await expectEqual(store.blobs("kept a b"), "kept b", "after another cached one")
    },
    storageCase("aBlobLargerThanTheCacheCanBeRead", "The most recently used one stays.") { store in
        try await store.commit(.putAccount(Fixture.account(Fixture.home, cacheLimit: 1_000)))
        try await store.writeBlob("a", Data(count: 300), .cached)
        try await store.writeBlob("large", Data(count: 3_000), .cached)
        try await expectEqual(store.blobs("a large"), "large", "the cache after a large blob")
        try await store.writeBlob("b", Data(count: 300), .cached)
        try await expectEqual(store.blobs("large b"), "b", "the cache after the next")
    },
    storageCase("aLowerLimitMakesRoom", "Lowering the account's limit shrinks the cache.") { store in
        for id in ["a", "b", "c"] { try await store.writeBlob(id, Data(count: 300), .cached) }
        try await store.commit(.putAccount(Fixture.account(Fixture.home, cacheLimit: 650)))
        try await expectEqual(store.blobs("a b c"), "b c", "the cache with a limit of 650 bytes")
    },
]
