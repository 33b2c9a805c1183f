import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// The bytes of messages, attachments and uploads, wherever they are: in the store, inside a message that
/// is in the store, or still with the service.
package struct Blobs: Sendable {
    /// Uploads that nothing uses go after this time; RFC 8620 asks for an hour at least.
    package static let uploadLifetime = 86_400.0
    package static let clearableAge = 300.0
    /// The largest message that is taken apart in memory.
    package static let messageLimit = 150_000_000

    package let store: MailStore
    let services: any MailServices
    let images: RemoteImages
    let ids: IDMaker
    package let clock: any HostClock
    /// The current fetches from services.
    package let fetches: BlobFetches

    package init(
        store: MailStore, services: any MailServices, images: RemoteImages, ids: IDMaker,
        clock: any HostClock
    ) {
        self.store = store
        self.services = services
        self.images = images
        self.ids = ids
        self.clock = clock
        fetches = BlobFetches(news: store.news)
    }

    package static let uploads = "upload"

    /// A blob's bytes and properties.
    package struct Content: Sendable {
        package var type: String
        package var name: String?
        package var bytes: any ByteSource
    }

    /// Starts an upload; calling `finish` on the result stores it.
    package func upload(type: String, to accountID: Id<Account>) async throws(StorageError) -> BlobUpload {
        let id: Id<Blob> = ids.next("U")
        let info = BlobInfo(id: id, accountID: accountID, type: type, retention: .kept)
        return BlobUpload(id: id, writer: try await store.writeBlob(info)) { [store, clock] in
            let key = DocumentKey(Self.uploads, id.rawValue, accountID: accountID)
            let time = JSONValue.number(clock.now.timeIntervalSince1970)
            try await store.commit([.putDocument(Document(key, value: time))])
        }
    }

    /// Keeps bytes that will belong to a record, and returns the change that has to be committed with it.
    /// Should it never be, they go like an old upload.
    package func keep(
        _ bytes: Data, as id: Id<Blob>, type: String, in accountID: Id<Account>
    ) async throws -> StorageChange {
        let key = DocumentKey(Self.uploads, id.rawValue, accountID: accountID)
        try await store.commit([.putDocument(Document(key, value: .number(clock.now.timeIntervalSince1970)))])
        let info = BlobInfo(id: id, accountID: accountID, type: type, retention: .kept)
        let writer = try await store.writeBlob(info)
        do {
            try await writer.write(bytes)
            try await writer.finish()
        } catch {
            await writer.discard()
            throw error
        }
        return .destroyDocument(key)
    }

    /// Removes an unreferenced blob; if that fails, housekeeping removes it later.
    package func removeNowOrLater(_ id: Id<Blob>, in accountID: Id<Account>) async {
        do {
            try await store.removeBlob(id, in: accountID)
        } catch {
            let key = DocumentKey(Self.uploads, id.rawValue, accountID: accountID)
            // What even this fails for goes with the account.
            _ = try? await store.commit([.putDocument(Document(key, value: .number(0)))])
        }
    }

    /// Removes uploads that are older than a day, or than `age`. What became of them has its own bytes.
    ///
    /// - Returns: their size.
    @discardableResult
    package func removeOldUploads(
        of accountID: Id<Account>, olderThan age: Double = uploadLifetime
    ) async throws(StorageError) -> Int {
        var size = 0
        for (document, bytes) in try await uploads(of: accountID, olderThan: age) {
            try await store.removeBlob(Id(document.key.name), in: accountID)
            try await store.commit([.destroyDocument(document.key)])
            size += bytes
        }
        return size
    }

    /// The bytes of uploads that may be removed when someone makes room: a message that is being written has had the
    /// time to keep its own.
    package func clearableUploads(of accountID: Id<Account>) async throws(StorageError) -> Int {
        try await uploads(of: accountID, olderThan: Self.clearableAge).reduce(0) { $0 + $1.size }
    }

    private func uploads(
        of accountID: Id<Account>, olderThan age: Double
    ) async throws(StorageError) -> [(document: Document, size: Int)] {
        var found: [(Document, Int)] = []
        for document in try await store.allDocuments(in: Self.uploads, accountID: accountID)
        where clock.now.timeIntervalSince1970 - (document.value.numberValue ?? 0) > age {
            found.append(
                (document, try await store.read.blobInfo(Id(document.key.name), in: accountID)?.size ?? 0))
        }
        return found
    }

    /// The bytes behind an id, fetched from the service if they are not here.
    ///
    /// - Throws: `BlobError.notFound` if there is no such blob; what the service says if it cannot be had.
    package func content(_ id: Id<Blob>, in accountID: Id<Account>) async throws -> Content {
        let blob = BlobID(id)
        if let info = try await store.read.blobInfo(id, in: accountID) {
            var bytes: any ByteSource = StoredBlob(info, store.read)
            if blob.email != nil {
                bytes = FetchedAgain(bytes) { try await unstored(blob, in: accountID).bytes }
            }
            return Content(type: info.type, name: info.name, bytes: bytes)
        }
        if let script = try await ScriptBlob.content(id, in: accountID, store) { return script }
        if RemoteImages.isOne(id) {
            let image = try await images.image(id)
            return Content(type: image.type, name: nil, bytes: DataSource(image.data))
        }
        return try await unstored(blob, in: accountID)
    }

    /// A blob as a message, in memory.
    package func message(_ id: Id<Blob>, in accountID: Id<Account>) async throws -> Data {
        try await content(id, in: accountID).bytes.data(limit: Self.messageLimit)
    }

    /// Copies a blob into another account (RFC 8620, section 6.3), and returns its id there.
    package func copy(
        _ id: Id<Blob>, from accountID: Id<Account>, to target: Id<Account>
    ) async throws -> Id<Blob> {
        let content = try await content(id, in: accountID)
        let upload = try await upload(type: content.type, to: target)
        do {
            try await content.bytes.write(to: upload)
            try await upload.finish()
        } catch {
            await upload.discard()
            throw error
        }
        return upload.id
    }

    /// A blob that is not stored itself: a part of a stored one, or one on the service.
    private func unstored(_ blob: BlobID, in accountID: Id<Account>) async throws -> Content {
        if let part = blob.part { return try await partContent(part, of: blob, in: accountID) }
        guard let email = blob.email else { throw BlobError.notFound }
        return try await wholeContent(email, in: accountID)
    }

    private func wholeContent(_ id: Id<Email>, in accountID: Id<Account>) async throws -> Content {
        guard let email = try await store.read.emails([id], in: accountID).first?.email else {
            throw BlobError.notFound
        }
        let bytes = try await fetched(
            nil, of: id, type: "message/rfc822", name: nil, size: email.size, in: accountID)
        return Content(
            type: "message/rfc822", name: (email.header.subject ?? "message") + ".eml", bytes: bytes)
    }

    private func partContent(_ part: String, of blob: BlobID, in accountID: Id<Account>) async throws
        -> Content
    {
        guard blob.depth <= BlobID.maxDepth else { throw BlobError.notFound }
        let isStored = try await store.read.blobInfo(blob.container, in: accountID) != nil
        if blob.isNested || isStored {
            return try Self.part(part, of: try await message(blob.container, in: accountID))
        }
        guard let email = blob.email,
            let structure = try await store.read.body(of: email, in: accountID)?.structure,
            let known = structure.part(part)
        else { throw BlobError.notFound }
        if try await FormerParts.are(in: email, of: accountID, store) {
            let whole = try await wholeContent(email, in: accountID).bytes.data(limit: Self.messageLimit)
            guard let name = structure.nameOfSame(part, in: whole) else { throw BlobError.notFound }
            return try Self.part(name, of: whole)
        }
        do {
            let bytes = try await fetched(
                part, of: email, type: known.type, name: known.name, size: known.size, in: accountID)
            return Content(type: known.type, name: known.name, bytes: bytes)
        } catch AccountError.notFound {
            // A service that reports whole messages has no names for their parts.
            let whole = try await wholeContent(email, in: accountID).bytes
            return try Self.part(part, of: try await whole.data(limit: Self.messageLimit))
        }
    }

    private static func part(_ id: String, of message: Data) throws(BlobError) -> Content {
        guard let content = MessageParser().content(of: id, in: message) else { throw .notFound }
        return Content(type: content.type, name: content.name, bytes: DataSource(content.decoded))
    }

    /// Fetches what only the service has into the cache. What lives on this machine anyway is not kept twice.
    private func fetched(
        _ part: String?, of email: Id<Email>, type: String, name: String?, size: Int,
        in accountID: Id<Account>
    ) async throws -> any ByteSource {
        guard let session = await services.session(accountID) else { throw BlobError.accountInactive }
        let refs = try await store.read.remoteRefs(of: [email], in: accountID)
        guard let ref = refs.current.first else { throw refs.isEmpty ? BlobError.notFound : .isMoving }
        // The session may be one at the new place already.
        guard try await !FormerPlace.isBeingLeft(accountID, store) else { throw BlobError.isMoving }
        let map = try await RemoteMap.load(accountID, from: store)
        if map.features.contains(.local) {
            let sink = MemorySink(limit: Self.messageLimit)
            try await session.fetch(ref.remoteID, feed: ref.feed, partID: part, into: sink)
            return DataSource(await sink.data)
        }
        let id = BlobID(email: email, part: part).id
        let info = BlobInfo(id: id, accountID: accountID, type: type, name: name, retention: .cached)
        let known = size > 0 ? size : nil
        try await fetches.fetch(id, in: accountID, size: known) { [store] count in
            let writer = try await store.writeBlob(info)
            let sink = FetchSink(writer, size: known, count: count)
            do {
                defer { sink.end() }
                try await withTaskCancellationHandler {
                    try await session.fetch(ref.remoteID, feed: ref.feed, partID: part, into: sink)
                } onCancel: {
                    sink.end()
                }
                try await writer.finish()
            } catch {
                await writer.discard()
                throw error
            }
        }
        return try await StoredBlob(id, in: accountID, store.read)
    }
}

package enum BlobError: Error, Sendable, Hashable {
    case notFound
    /// The account is not being used now, so what only its service has cannot be fetched.
    case accountInactive
    /// The account has moved to another server, where the message was not found yet.
    case isMoving
    case tooLarge(size: Int, limit: Int)

    package var sentence: String {
        switch self {
        case .notFound: "This message or attachment does not exist."
        case .accountInactive: "The account is inactive, and this is not on this device."
        case .isMoving: "The account has moved to another server, and this was not found there yet."
        case .tooLarge(let size, let limit): "It is too large: \(size) bytes, with a limit of \(limit)."
        }
    }
}

/// An upload in progress. Its creator must call `finish` or `discard`.
package actor BlobUpload: ByteSink {
    package nonisolated let id: Id<Blob>
    package private(set) var size = 0
    private let writer: any BlobWriter
    private let noted: @Sendable () async throws -> Void

    init(id: Id<Blob>, writer: any BlobWriter, noted: @escaping @Sendable () async throws -> Void) {
        self.id = id
        self.writer = writer
        self.noted = noted
    }

    package func write(_ bytes: Data) async throws {
        try await writer.write(bytes)
        size += bytes.count
    }

    package func finish() async throws {
        try await noted()
        try await writer.finish()
    }

    package func discard() async {
        await writer.discard()
    }
}

/// Gathers bytes in memory, up to a limit.
actor MemorySink: ByteSink {
    private(set) var data = Data()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func write(_ bytes: Data) throws {
        guard data.count + bytes.count <= limit else {
            throw BlobError.tooLarge(size: data.count + bytes.count, limit: limit)
        }
        data.append(bytes)
    }
}

extension EmailBodyPart {
    /// The part of this id, here or below.
    package func part(_ id: String) -> EmailBodyPart? {
        if partID == id { return self }
        for part in subParts {
            if let found = part.part(id) { return found }
        }
        return nil
    }
}
