import FoundationEssentials
import Mail
import MailKernelAPI

/// `Blob/upload` (RFC 9404, section 4.1).
enum BlobUploadMethod {
    @Sendable static func upload(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let account = try await context.account(&arguments)
        let asked = try arguments.created("create")
        try arguments.finish()
        guard asked.count <= context.limits.maxObjectsInSet else {
            throw MethodError("requestTooLarge", "At most \(context.limits.maxObjectsInSet) blobs at a time.")
        }
        var answer = SetAnswer()
        var waiting: [NewBlob] = []
        for (creationID, value) in asked.sorted(by: { $0.key < $1.key }) {
            do throws(SetError) {
                waiting.append(try NewBlob(creationID, value))
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        // Ranges of one blob can fill a disk with a short request.
        var room = context.limits.maxSizeUpload
        while let index = next(in: waiting) {
            let blob = waiting.remove(at: index)
            do throws(SetError) {
                let made = try await make(blob, in: account, &room, context)
                context.createdIDs[blob.creationID] = made["id"]?.stringValue
                answer.created[blob.creationID] = made
            } catch {
                answer.notCreated[blob.creationID] = error
            }
        }
        return answer.json(in: account.id, oldState: "", newState: "")
            .filter { ["accountId", "created", "notCreated"].contains($0.key) }
    }

    /// The first that refers to none of the others. Of those that refer to each other any: it fails.
    private static func next(in waiting: [NewBlob]) -> Int? {
        let names = Set(waiting.map(\.creationID))
        let free = waiting.firstIndex { blob in
            !blob.sources.contains { $0.creationID.map(names.contains) ?? false }
        }
        return free ?? waiting.indices.first
    }

    private struct Piece: Sendable {
        var bytes: any ByteSource
        var range: Range<Int>
    }

    private static func make(
        _ blob: NewBlob, in account: Account, _ room: inout Int, _ context: RequestContext
    ) async throws(SetError) -> JSONValue {
        let most = context.limits.maxSizeUpload
        var pieces: [Piece] = []
        var size = 0
        for source in blob.sources {
            let piece = try await piece(source, in: account, context)
            pieces.append(piece)
            size += piece.range.count
            guard size <= most else { throw SetError("tooLarge", "A blob can have at most \(most) bytes.") }
        }
        guard size <= room else {
            throw SetError("tooLarge", "The blobs of one call can have at most \(most) bytes together.")
        }
        room -= size
        let (blobs, all) = (context.kernel.blobs, pieces)
        let id = try await SetError.wrapping {
            let upload = try await blobs.upload(type: blob.type, to: account.id)
            do {
                for piece in all { try await write(piece, to: upload) }
                try await upload.finish()
            } catch {
                await upload.discard()
                throw error
            }
            return upload.id
        }
        return ["id": .string(id.rawValue), "type": .string(blob.type), "size": .number(Double(size))]
    }

    private static func write(_ piece: Piece, to upload: BlobUpload) async throws {
        var offset = piece.range.lowerBound
        while offset < piece.range.upperBound {
            let bytes = try await piece.bytes.read(
                at: offset, count: min(1 << 20, piece.range.upperBound - offset))
            guard !bytes.isEmpty else { throw BlobError.notFound }
            try await upload.write(bytes)
            offset += bytes.count
        }
    }

    /// - Throws: unless all of the range exists.
    private static func piece(
        _ source: BlobSource, in account: Account, _ context: RequestContext
    ) async throws(SetError) -> Piece {
        switch source {
        case .bytes(let data): return Piece(bytes: DataSource(data), range: 0..<data.count)
        case .blob(let name, let offset, let length):
            let content: Blobs.Content?
            do throws(MethodError) {
                let id = context.resolved(name)
                content =
                    if let id { try await BlobMethods.content(Id(id), in: account, context) } else { nil }
            } catch {
                throw SetError(error)
            }
            guard let content else {
                throw SetError(
                    "blobNotFound", "The blob “\(name.prefix(100))” does not exist.",
                    details: ["notFound": [.string(name)]])
            }
            let size = content.bytes.size
            guard offset <= size, length ?? 0 <= size - offset else {
                throw .invalidProperty(
                    "data", "contains a range that ends after the \(size) bytes of the blob")
            }
            return Piece(bytes: content.bytes, range: offset..<(length.map { offset + $0 } ?? size))
        }
    }
}
