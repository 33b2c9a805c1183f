import FoundationEssentials
import JMAP

extension Router {
    /// Uploads (RFC 8620, section 6.1), straight from the socket to where blobs are kept.
    func upload(_ request: HTTPRequest, _ client: JMAPClient) throws(Gatekeeper.Refusal) -> Admission {
        guard let components = request.pathComponents, components.count == 4, components[3].isEmpty,
            !components[2].isEmpty
        else { throw Gatekeeper.Refusal(404, "Nothing exists at this URL.") }
        guard client.mayWrite else { throw Gatekeeper.Refusal(403, "This token is read-only.") }
        let most = service.limits.maxSizeUpload
        guard request.contentLength ?? 0 <= most else { throw .tooLarge(Self.uploadTooLarge(most)) }
        let type = request.header("content-type") ?? "application/octet-stream"
        return .serve(bodyLimit: most, isKnown: true) { body in
            await answer(request) { () async throws(RequestProblem) in
                try await Self.passing(arriving, client, Self.tooManyUploads) {
                    () async throws(RequestProblem) in
                    try await keep(body, for: client) { () async throws(RequestProblem) in
                        try await service.upload(type: type, to: components[2], for: client)
                    }
                }
            }
        }
    }

    private static let tooManyUploads = RequestProblem(
        type: "urn:ietf:params:jmap:error:limit", status: 429,
        detail: "Too many uploads are waiting. Try again later.", limit: "maxConcurrentUpload")

    private static func uploadTooLarge(_ most: Int) -> HTTPResponse {
        .limit("maxSizeUpload", status: 413, "An upload is limited to \(most) bytes.")
    }

    /// All of the body is kept, or nothing. It takes a place among the uploads only while there are bytes to keep: one
    /// that stalls holds up no others.
    private func keep(
        _ body: BytePipe, for client: JMAPClient, begin: () async throws(RequestProblem) -> any JMAPUpload
    ) async throws(RequestProblem) -> HTTPResponse {
        let upload = try await Self.passing(uploads, client, Self.tooManyUploads, begin)
        do {
            while let piece = try await body.next() {
                try await Self.passing(uploads, client, Self.tooManyUploads) {
                    () async throws(RequestProblem) in try await attempt { try await upload.write(piece) }
                }
            }
            return try await Self.passing(uploads, client, Self.tooManyUploads) {
                () async throws(RequestProblem) in
                .json(try await attempt { try await upload.finish() }, status: 201)
            }
        } catch let problem as RequestProblem {
            await upload.discard()
            throw problem
        } catch BodyError.tooLong {
            await upload.discard()
            return Self.uploadTooLarge(service.limits.maxSizeUpload)
        } catch {
            await upload.discard()
            throw RequestProblem(status: 408, detail: "The upload was incomplete.")
        }
    }

    /// A service says itself what the matter is, or the log does.
    private func attempt<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws(RequestProblem) -> Value {
        do {
            return try await body()
        } catch let problem as RequestProblem {
            throw problem
        } catch {
            log.error("an upload could not be saved: \(error)")
            throw RequestProblem(status: 500, detail: "The upload could not be saved.")
        }
    }
}
