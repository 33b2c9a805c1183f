import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

extension Blobs {
    /// Writes a message as a blob, piece by piece. It goes like an old upload unless the claim is committed.
    package func write(
        _ draft: MessageDraft, with builder: MessageBuilder, as id: Id<Blob>, in accountID: Id<Account>
    ) async throws -> (size: Int, claim: StorageChange) {
        var size = 0
        let claim = try await keep(id, in: accountID) { writer in
            size = try await builder.write(draft, to: BlobSink(writer: writer)).size
        }
        return (size, claim)
    }

    /// Copies bytes into a separate blob.
    package func write(
        _ source: any ByteSource, as id: Id<Blob>, in accountID: Id<Account>
    ) async throws -> StorageChange {
        try await keep(id, in: accountID) { writer in try await source.write(to: writer) }
    }

    /// Makes an upload permanent, together with the commit it is part of.
    func claim(_ id: Id<Blob>, in accountID: Id<Account>) -> StorageChange {
        .destroyDocument(DocumentKey(Self.uploads, id.rawValue, accountID: accountID))
    }

    private func keep(
        _ id: Id<Blob>, in accountID: Id<Account>, _ fill: (any BlobWriter) async throws -> Void
    ) async throws -> StorageChange {
        let key = DocumentKey(Self.uploads, id.rawValue, accountID: accountID)
        try await store.commit([.putDocument(Document(key, value: .number(clock.now.timeIntervalSince1970)))])
        let info = BlobInfo(id: id, accountID: accountID, type: "message/rfc822", retention: .kept)
        let writer = try await store.writeBlob(info)
        do {
            try await fill(writer)
            try await writer.finish()
        } catch {
            await writer.discard()
            throw error
        }
        return .destroyDocument(key)
    }
}

/// Adapts a blob's writer to a byte sink.
private struct BlobSink: ByteSink {
    let writer: any BlobWriter

    func write(_ bytes: Data) async throws { try await writer.write(bytes) }
}

/// Bytes with others before them.
struct PrefixedSource: ByteSource {
    let prefix: Data
    let rest: any ByteSource

    var size: Int { prefix.count + rest.size }

    func read(at offset: Int, count: Int) async throws -> Data {
        guard offset >= 0, count > 0 else { return Data() }
        let beginning = Data(prefix.dropFirst(offset).prefix(count))
        guard beginning.count < count else { return beginning }
        let behind = max(0, offset - prefix.count)
        return beginning + (try await rest.read(at: behind, count: count - beginning.count))
    }
}
