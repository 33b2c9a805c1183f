import FoundationEssentials
import MailKernelAPI

extension S3Client {
    /// Stores an object as a whole: it is there when this returns, and not before.
    ///
    /// - Parameters:
    ///   - count: the number of parts. One is sent by itself, more as a multipart upload.
    ///   - part: makes a part's bytes. Few of them are in memory at a time.
    ///   - stored: called after each part of several.
    func put(
        _ name: String, parts count: Int,
        _ part: @escaping @Sendable (Int) throws(StorageError) -> Data,
        stored: @escaping @Sendable () async throws(StorageError) -> Void
    ) async throws(StorageError) {
        guard count > 1 else {
            _ = try await store(try part(0), as: name, [])
            return
        }
        let begun = try await send(
            Request(
                method: "POST", name: name, items: [("uploads", "")],
                headers: ["x-amz-checksum-algorithm": "CRC32"], body: Data(), purpose: Self.writing))
        guard let id = begun.flatMap({ S3Answer($0.body)["UploadId"] }) else {
            throw S3Failure.unreachable(settings, "it did not begin a multipart upload")
        }
        do throws(StorageError) {
            let parts = try await storeParts(name, id, count, part, stored: stored)
            try await complete(name, id, parts)
        } catch {
            // In a task of its own, which goes on if this one is canceled.
            Task { try? await self.abort(id, of: name) }
            throw error
        }
    }

    /// Several parts at a time: one is sealed and sent while the server writes others.
    private func storeParts(
        _ name: String, _ id: String, _ count: Int,
        _ part: @escaping @Sendable (Int) throws(StorageError) -> Data,
        stored: @escaping @Sendable () async throws(StorageError) -> Void
    ) async throws(StorageError) -> [String] {
        let one: @Sendable (Int) async -> (number: Int, name: Result<String, StorageError>) = { number in
            do throws(StorageError) {
                let items = [("partNumber", "\(number + 1)"), ("uploadId", id)]
                return (number, .success(try await self.store(try part(number), as: name, items)))
            } catch {
                return (number, .failure(error))
            }
        }
        let result = await withTaskGroup(of: (number: Int, name: Result<String, StorageError>).self) {
            group -> Result<[String], StorageError> in
            var parts = [String](repeating: "", count: count)
            for number in 0..<min(Self.atOnce, count) { group.addTask { await one(number) } }
            var next = min(Self.atOnce, count)
            while let done = await group.next() {
                do throws(StorageError) {
                    parts[done.number] = try done.name.get()
                    try await stored()
                } catch {
                    group.cancelAll()
                    return .failure(error)
                }
                guard next < count else { continue }
                let number = next
                next += 1
                group.addTask { await one(number) }
            }
            return .success(parts)
        }
        return try result.get()
    }

    private static var atOnce: Int { 3 }

    /// - Returns: what names the part when the upload is completed.
    private func store(
        _ bytes: Data, as name: String, _ items: [(String, String)]
    ) async throws(StorageError) -> String {
        let sum = Checksum.of(bytes)
        let answer = try await send(
            Request(
                method: "PUT", name: name, items: items, headers: ["x-amz-checksum-crc32": sum], body: bytes,
                purpose: Self.writing))
        guard let answer else { throw S3Failure.unreachable(settings, "it lost a multipart upload") }
        return "<ETag>\(answer.headers["etag"] ?? "")</ETag><ChecksumCRC32>\(sum)</ChecksumCRC32>"
    }

    private func complete(_ name: String, _ id: String, _ parts: [String]) async throws(StorageError) {
        let list = parts.enumerated().map { "<Part><PartNumber>\($0 + 1)</PartNumber>\($1)</Part>" }
        let body = "<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>"
        let answer = try await send(
            Request(
                method: "POST", name: name, items: [("uploadId", id)], body: Data(body.utf8),
                purpose: Self.writing))
        // An error can come after the status 200.
        guard let answer, S3Answer(answer.body).contains("CompleteMultipartUploadResult") else {
            throw S3Failure.unreachable(settings, "it did not complete a multipart upload")
        }
    }

    /// Bytes of an object; nil if it does not exist.
    func bytes(of name: String, in range: Range<Int>) async throws(StorageError) -> Data? {
        let answer = try await send(
            Request(
                method: "GET", name: name,
                headers: ["range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"], purpose: Self.reading
            ))
        // A server that ignores the range sends everything.
        guard let answer, answer.status == 200 else { return answer?.body }
        return answer.body.dropFirst(range.lowerBound).prefix(range.count)
    }

    /// Delivers some of an object's pieces as they arrive, again from their beginning if the connection is lost.
    ///
    /// - Returns: false if the object does not exist.
    func read(
        _ name: String, _ object: StoredObject, _ pieces: Range<Int>,
        _ deliver: @escaping ObjectFetch.Delivery
    ) async throws(StorageError) -> Bool {
        let place = object.place(of: pieces)
        let request = Request(
            method: "GET", name: name,
            headers: ["range": "bytes=\(place.lowerBound)-\(place.upperBound - 1)"], purpose: Self.reading)
        let answer = try await send(request, into: { OpeningSink(object, pieces, deliver) })
        guard let answer else { return false }
        guard answer.sink.isComplete else { throw PieceOpening.damaged }
        return true
    }

    /// It is not an error if there is none.
    func remove(_ name: String) async throws(StorageError) {
        _ = try await send(Request(method: "DELETE", name: name, purpose: Self.deleting))
    }

    /// Ends the uploads of one object that were begun and not completed.
    func abortUploads(of name: String) async throws(StorageError) {
        let answer = try await send(
            Request(method: "GET", items: [("uploads", ""), ("prefix", name)], purpose: Self.listing))
        for id in answer.map({ S3Answer($0.body).all("UploadId") }) ?? [] { try await abort(id, of: name) }
    }

    private func abort(_ id: String, of name: String) async throws(StorageError) {
        _ = try await send(
            Request(method: "DELETE", name: name, items: [("uploadId", id)], purpose: Self.deleting))
    }

    /// Removes all objects whose names begin so, and what of others is being uploaded.
    func removeAll(_ prefix: String) async throws(StorageError) {
        while true {
            let items = [("list-type", "2"), ("max-keys", "1000"), ("prefix", prefix)]
            let answer = try await send(Request(method: "GET", items: items, purpose: Self.listing))
            let names = (answer.map { S3Answer($0.body).all("Key") } ?? []).filter { $0.hasPrefix(prefix) }
            guard !names.isEmpty else { break }
            for name in names { try await remove(name) }
        }
        let items = [("uploads", ""), ("prefix", prefix)]
        let answer = try await send(Request(method: "GET", items: items, purpose: Self.listing))
        let list = answer.map { S3Answer($0.body) }
        for (name, id) in zip(list?.all("Key") ?? [], list?.all("UploadId") ?? []) {
            try await abort(id, of: name)
        }
    }

    static let writing = "store attachments"
    static let reading = "read attachments"
    static let deleting = "delete attachments"
    static let listing = "list attachments"
}
