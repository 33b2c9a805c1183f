import Foundation
import JMAP
import MailKernelAPI
import TestSupport
import Testing

@testable import LocalServer

@Suite("Uploads and downloads") struct BlobTests {
    @Test func anUploadIsKept() async throws {
        let running = try RunningServer()
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let head = running.request(
            "POST", "/jmap/upload/a1/",
            [running.bearer, "Content-Type: message/rfc822", "Content-Length: \(body.count)"])
        let answer = try await running.client().ask(Data(head.utf8) + body)
        #expect(answer.status == 201 && answer.json["size"] as? Int == body.count)
        #expect(answer.json["type"] as? String == "message/rfc822")
        let id = try #require(answer.json["blobId"] as? String)
        #expect(running.service.state.withLock { $0.blobs[id] == body })
        await running.server.stop()
    }

    /// However slowly it is kept, only a little of it is in memory.
    @Test func anUploadComesInPieces() async throws {
        let running = try RunningServer()
        let size = 20_000_000
        let head = running.request(
            "POST", "/jmap/upload/a1/", [running.bearer, "Content-Type: x/slow", "Content-Length: \(size)"])
        let answer = try await running.client().ask(Data(head.utf8) + Data(count: size))
        #expect(answer.status == 201)
        #expect(running.service.state.withLock { $0.largestPiece } < 400_000)
        await running.server.stop()
    }

    @Test(arguments: [true, false])
    func anUploadThatIsTooLongIsTheLimit(_ isChunked: Bool) async throws {
        let running = try RunningServer(limits: { $0.maxSizeUpload = 300_000 })
        let client = try running.client()
        let body = String(repeating: "x", count: 300_001)
        let request =
            isChunked
            ? running.request("POST", "/jmap/upload/a1/", [running.bearer, "Transfer-Encoding: chunked"])
                + String(body.count, radix: 16) + "\r\n" + body + "\r\n0\r\n\r\n"
            : running.request("POST", "/jmap/upload/a1/", [running.bearer], body: body)
        let answer = try await client.ask(request)
        #expect(answer.status == 413 && answer.json["limit"] as? String == "maxSizeUpload")
        #expect(running.service.state.withLock { $0.blobs.isEmpty })
        await running.server.stop()
    }

    @Test func anUploadThatBreaksOffIsDiscarded() async throws {
        let running = try RunningServer()
        let client = try running.client()
        try client.put(
            running.request("POST", "/jmap/upload/a1/", [running.bearer, "Content-Length: 1000"]) + "begin")
        await running.service.wait { !$0.blobs.isEmpty }
        shutdown(client.socket, Int32(SHUT_RDWR))
        await running.service.wait { $0.discarded == 1 }
        #expect(running.service.state.withLock { $0.blobs.isEmpty })
        await running.server.stop()
    }

    /// What the service says of it reaches the client: there is no space left.
    @Test func anUploadWithoutSpaceSaysSo() async throws {
        let running = try RunningServer()
        let answer = try await running.ask(
            "POST", "/jmap/upload/a1/", [running.bearer, "Content-Type: x/problem"], body: "x")
        #expect(answer.status == 507 && answer.header("Content-Type") == "application/problem+json")
        #expect(answer.json["detail"] as? String == "The disk is full.")
        #expect(running.service.state.withLock { $0.discarded } == 1)
        await running.server.stop()
    }

    @Test func anUploadThatCannotBeKeptSaysSo() async throws {
        let running = try RunningServer()
        let body = String(repeating: "x", count: 2_000_000)
        let answer = try await running.ask(
            "POST", "/jmap/upload/a1/", [running.bearer, "Content-Type: x/full"], body: body)
        #expect(answer.status == 500 && answer.header("Content-Type") == "application/problem+json")
        #expect(running.service.state.withLock { $0.discarded } == 1)
        let missing = try await running.ask("POST", "/jmap/upload/a2/", [running.bearer], body: "x")
        #expect(missing.status == 404)
        await running.server.stop()
    }

    @Test func uploadsAtOnceAreFew() async throws {
        let running = try RunningServer({ $0.mostWaiting = 0 }, limits: { $0.maxConcurrentUpload = 1 })
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        running.service.change { $0.uploadGate = gate }
        async let first = running.ask("POST", "/jmap/upload/a1/", [running.bearer], body: "x")
        await running.service.wait { $0.uploading == 1 }
        let other = try await running.ask("POST", "/jmap/upload/a1/", [running.bearer], body: "x")
        #expect(other.status == 429 && other.json["limit"] as? String == "maxConcurrentUpload")
        open.finish()
        #expect(try await first.status == 201)
        await running.server.stop()
    }

    @Test func aDownloadIsWhole() async throws {
        let running = try RunningServer()
        let source = PatternSource(size: 7_654_321)
        running.service.change { $0.downloads["b/1"] = source }
        let answer = try await running.ask(
            "GET", "/jmap/download/a1/b%2F1/Rechnung%20%C3%BC.pdf?type=application%2Fpdf", [running.bearer])
        #expect(answer.status == 200 && answer.body == source.read(at: 0, count: source.size))
        #expect(answer.header("Content-Type") == "application/pdf")
        #expect(
            answer.header("Content-Disposition")
                == "attachment; filename=\"Rechnung _.pdf\"; filename*=UTF-8''Rechnung%20%C3%BC.pdf")
        await running.server.stop()
    }

    /// Mail that a browser is made to open cannot run as a page of ours.
    @Test func aDownloadCannotRun() async throws {
        let running = try RunningServer()
        running.service.change { $0.downloads["b1"] = PatternSource(size: 10) }
        let answer = try await running.ask(
            "GET", "/jmap/download/a1/b1/x.html?type=text/html", [running.bearer])
        #expect(answer.header("Content-Disposition")?.hasPrefix("attachment") == true)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.contains("sandbox") && policy.contains("default-src 'none'"))
        #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
        #expect(answer.header("Cache-Control") == "private, no-store")
        await running.server.stop()
    }

    @Test(arguments: [
        ("bytes=0-9", 206, 0..<10), ("bytes=90-", 206, 90..<100), ("bytes=-5", 206, 95..<100),
        ("bytes=50-500", 206, 50..<100), ("bytes=100-", 416, 0..<0), ("bytes=-0", 416, 0..<0),
        ("bytes=9-2", 200, 0..<100), ("bytes=0-1,5-6", 200, 0..<100), ("lines=1-2", 200, 0..<100),
        ("bytes=a-b", 200, 0..<100), ("bytes=0-9223372036854775807", 206, 0..<100),
        ("bytes=99999999999999999999-", 200, 0..<100),
    ])
    func aPartOfADownload(_ range: String, _ status: Int, _ part: Range<Int>) async throws {
        let running = try RunningServer()
        let source = PatternSource(size: 100)
        running.service.change { $0.downloads["b1"] = source }
        let answer = try await running.ask(
            "GET", "/jmap/download/a1/b1/x", [running.bearer, "Range: \(range)"])
        #expect(answer.status == status)
        switch status {
        case 206:
            #expect(
                answer.header("Content-Range") == "bytes \(part.lowerBound)-\(part.upperBound - 1)/100")
            #expect(answer.body == source.read(at: part.lowerBound, count: part.count))
        case 416: #expect(answer.header("Content-Range") == "bytes */100")
        default: #expect(answer.body.count == 100)
        }
        let other = try await running.ask(
            "GET", "/jmap/download/a1/b1/x", [running.bearer, "Range: \(range)", "If-Range: \"other\""])
        #expect(other.status == 200 && other.body.count == 100)
        await running.server.stop()
    }

    /// What cannot be read to its end is not taken for whole.
    @Test func aDownloadThatBreaksOffIsSeen() async throws {
        struct Broken: ByteSource {
            struct Gone: Error {}
            let size = 1_000_000
            func read(at offset: Int, count: Int) throws -> Data {
                guard offset < 500_000 else { throw Gone() }
                return Data(count: count)
            }
        }
        let running = try RunningServer()
        running.service.change { $0.downloads["b1"] = Broken() }
        await #expect(throws: WireClient.Closed.self) {
            try await running.ask("GET", "/jmap/download/a1/b1/x", [running.bearer])
        }
        await running.server.stop()
    }

    @Test(arguments: ["text", "text/", "a/b%0d%0aX: y", "/", "text/html%00", "%FF/x"])
    func aTypeThatIsNone(_ type: String) async throws {
        let running = try RunningServer()
        running.service.change { $0.downloads["b1"] = PatternSource(size: 1) }
        let target = "/jmap/download/a1/b1/x?type=\(type.replacing(" ", with: "%20"))"
        let answer = try await running.ask("GET", target, [running.bearer])
        #expect(answer.status == 400 || answer.header("Content-Type") == "application/octet-stream")
        #expect(answer.header("X") == nil)
        await running.server.stop()
    }

    @Test(arguments: [
        ("a.txt", "a.txt"), ("../../etc/passwd", "_._.._etc_passwd"), ("a\"b\r\nX: y", "a_b__X_ y"),
        ("invoice\u{202e}fdp.exe", "invoice_fdp.exe"), (".bashrc", "_bashrc"), ("", "download"),
        ("  ", "download"), ("100%;x", "100__x"),
    ])
    func aNameOfAFileIsHarmless(_ name: String, _ plain: String) {
        let value = ContentDisposition.attachment(name)
        #expect(value.hasPrefix("attachment; filename=\"\(plain)\"; filename*=UTF-8''"))
        #expect(value.utf8.allSatisfy { (32...126).contains($0) })
    }
}
