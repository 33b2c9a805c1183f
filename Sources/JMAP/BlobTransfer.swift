import FoundationEssentials
import Mail
import MailKernelAPI

extension MailJMAPService {
    public func upload(
        type: String, to accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> any JMAPUpload {
        try checkLock(for: client)
        guard client.mayWrite else { throw RequestProblem(status: 403, detail: "This client is read-only.") }
        let account = Id<Account>(ExactName.of(accountID))
        try await check(account)
        do {
            let upload = try await kernel.blobs.upload(type: type, to: account)
            return Upload(accountID: account, type: type, upload: upload)
        } catch {
            throw RequestProblem(error)
        }
    }

    public func download(
        _ blobID: String, of accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> JMAPDownload {
        try checkLock(for: client)
        let account = Id<Account>(ExactName.of(accountID))
        try await check(account)
        do {
            let content = try await kernel.blobs.content(Id(ExactName.of(blobID)), in: account)
            let bytes = content.bytes
            let sample = try await FileSample.read(size: bytes.size) { offset, count in
                try await bytes.read(at: offset, count: count)
            }
            let risk = AttachmentRisk.judge(name: content.name, type: content.type, sample: sample)
            return JMAPDownload(
                type: content.type, name: content.name, bytes: content.bytes, risk: risk?.sentence)
        } catch let error as BlobError {
            throw RequestProblem(status: error == .notFound ? 404 : 503, detail: error.sentence)
        } catch let error as AccountError {
            if error == .cancelled { throw Self.cancelled }
            throw RequestProblem(status: error == .notFound ? 404 : 502, detail: error.sentence)
        } catch is NetworkError {
            throw RequestProblem(status: 502, detail: "The image could not be fetched.")
        } catch let error as StorageError {
            throw RequestProblem(error)
        } catch {
            if error is CancellationError { throw Self.cancelled }
            throw RequestProblem(status: 500, detail: "The bytes could not be read.")
        }
    }

    private static let cancelled = RequestProblem(status: 409, detail: "The fetch was canceled.")

    private func check(_ id: Id<Account>) async throws(RequestProblem) {
        do {
            guard try await kernel.store.account(id) != nil else {
                throw RequestProblem(status: 404, detail: "This account does not exist.")
            }
        } catch let problem as RequestProblem {
            throw problem
        } catch {
            throw RequestProblem(status: 503, detail: "The store cannot be read.")
        }
    }
}

extension RequestProblem {
    fileprivate init(_ error: StorageError) {
        self.init(status: error == .full ? 507 : 503, detail: error.sentence)
    }
}

/// An upload as RFC 8620, section 6.1, answers it.
private struct Upload: JMAPUpload {
    let accountID: Id<Account>
    let type: String
    let upload: BlobUpload

    func write(_ bytes: Data) async throws {
        try await Self.wrapping { try await upload.write(bytes) }
    }

    func finish() async throws -> Data {
        try await Self.wrapping { try await upload.finish() }
        return JSONWriter.write([
            "accountId": .string(accountID.rawValue), "blobId": .string(upload.id.rawValue),
            "type": .string(type), "size": .number(Double(await upload.size)),
        ])
    }

    func discard() async {
        await upload.discard()
    }

    /// A store that cannot keep it says why: above all that the disk is full.
    private static func wrapping(_ action: @Sendable () async throws -> Void) async throws {
        do {
            try await action()
        } catch let error as StorageError {
            throw RequestProblem(error)
        }
    }
}
