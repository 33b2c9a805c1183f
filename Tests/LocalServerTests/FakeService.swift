import Foundation
import JMAP
import MailKernelAPI
import MailKernelConformance

/// A service that answers with what it was asked, keeps uploads in memory, and sends the events of a test.
final class FakeService: JMAPService {
    struct State {
        var limits = JMAPLimits()
        var blobs: [String: Data] = [:]
        var discarded = 0
        var downloads: [String: any ByteSource] = [:]
        var subscriptions: [EventSubscription] = []
        var streams: [Int: AsyncStream<PushEvent>.Continuation] = [:]
        var ended = 0
        var inside = 0
        var mostInside = 0
        var largestPiece = 0
        var clients: [JMAPClient] = []
        var gate: AsyncStream<Void>?
        var uploadGate: AsyncStream<Void>?
        var uploading = 0
        var isLocked = false
        var landing = BrowserLanding("Nothing waits", isKnown: false)
        var landings: [[String: String]] = []
    }

    let state = Watched(State())

    var limits: JMAPLimits { state.withLock { $0.limits } }

    func session(for client: JMAPClient, at urls: SessionURLs) async throws(RequestProblem) -> Data {
        let object: [String: Any] = [
            "username": client.name, "apiUrl": urls.api, "uploadUrl": urls.upload,
            "downloadUrl": urls.download, "eventSourceUrl": urls.eventSource, "isPage": client.isPage,
            "mayWrite": client.mayWrite,
        ]
        return (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    }

    func respond(
        to request: Data, for client: JMAPClient, at urls: SessionURLs
    ) async throws(RequestProblem) -> Data {
        change { state in
            state.inside += 1
            state.mostInside = max(state.mostInside, state.inside)
        }
        if let gate = state.withLock({ $0.gate }) { for await _ in gate {} }
        change { $0.inside -= 1 }
        if request == Data("refuse".utf8) {
            throw RequestProblem(
                type: "urn:ietf:params:jmap:error:notRequest", status: 400, detail: "That is no request.")
        }
        return request
    }

    func upload(
        type: String, to accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> any JMAPUpload {
        guard accountID == "a1" else {
            throw RequestProblem(status: 404, detail: "This account does not exist.")
        }
        return Upload(service: self, type: type)
    }

    func download(
        _ blobID: String, of accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> JMAPDownload {
        guard let source = state.withLock({ $0.downloads[blobID] }) else {
            throw RequestProblem(status: 404, detail: "There is no such blob.")
        }
        return JMAPDownload(type: "application/octet-stream", name: nil, bytes: source)
    }

    func events(_ subscription: EventSubscription, for client: JMAPClient) -> AsyncStream<PushEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PushEvent.self)
        change { state in
            let id = state.subscriptions.count
            state.subscriptions.append(subscription)
            state.streams[id] = continuation
            continuation.onTermination = { [weak self] _ in
                self?.change { state in
                    state.streams[id] = nil
                    state.ended += 1
                }
            }
        }
        return stream
    }

    var isLocked: Bool { state.withLock { $0.isLocked } }

    func unlock(_ password: Secret) async throws(RequestProblem) {
        guard password.revealed == "open sesame" else {
            throw RequestProblem(status: 403, detail: "Wrong password. Try again.")
        }
        change { $0.isLocked = false }
    }

    func browserReturned(_ items: [String: String]) async -> BrowserLanding {
        change { $0.landings.append(items) }
        return state.withLock { $0.landing }
    }

    func push(_ event: PushEvent) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(event) }
    }

    func change(_ body: (inout State) -> Void) { state.withLock(body) }

    /// Waits until the condition holds.
    func wait(until isMet: @Sendable (State) -> Bool) async { await state.wait(until: isMet) }

    private struct Upload: JMAPUpload {
        let service: FakeService
        let type: String
        let id = UUID().uuidString

        func write(_ bytes: Data) async throws {
            struct Full: Error {}
            if type == "x/full" { throw Full() }
            if type == "x/problem" { throw RequestProblem(status: 507, detail: "The disk is full.") }
            service.change { $0.uploading += 1 }
            if let gate = service.state.withLock({ $0.uploadGate }) { for await _ in gate {} }
            if type == "x/slow" { try await Task.sleep(for: .milliseconds(1)) }
            service.change { state in
                state.blobs[id, default: Data()].append(bytes)
                state.largestPiece = max(state.largestPiece, bytes.count)
            }
        }

        func finish() async throws -> Data {
            let size = service.state.withLock { $0.blobs[id]?.count ?? 0 }
            return Data(#"{"accountId":"a1","blobId":"\#(id)","type":"\#(type)","size":\#(size)}"#.utf8)
        }

        func discard() async {
            service.change { state in
                state.blobs[id] = nil
                state.discarded += 1
            }
        }
    }
}

/// Bytes that can be told by their place, without being in memory.
struct PatternSource: ByteSource {
    let size: Int

    func read(at offset: Int, count: Int) -> Data {
        Data((offset..<min(size, offset + count)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }
}
