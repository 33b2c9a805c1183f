import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// RFC 8621, sections 4.8 and 4.9.
@Suite("Messages out of blobs") struct ImportTests {
    private func receivedAt(_ id: String, _ test: TestKernel) async throws -> JSONValue? {
        try await test.call("Email/get", ["ids": [.string(id)], "properties": ["receivedAt"]])["list"][0]?[
            "receivedAt"]
    }

    /// Unless the client says when it came, the last server that it passed does.
    @Test func theLatestReceivedFieldDates() async throws {
        let test = try await TestKernel()
        let message = """
            Received: from b by c; Thu, 01 Jul 2021 10:00:00 +0200
            Received: from a by b; Thu, 01 Jul 2021 09:00:00 +0200
            Date: Wed, 30 Jun 2021 10:00:00 +0200
            Subject: Old

            Text
            """
        let id = try await test.add(message)
        #expect(try await receivedAt(id, test) == "2021-07-01T08:00:00Z")
        let given = try await test.add(message, receivedAt: "2020-02-29T00:00:00Z")
        #expect(try await receivedAt(given, test) == "2020-02-29T00:00:00Z")
        let now = test.clock.now.formatted(.iso8601)
        for field in ["", "Received: from a by b; Thu, 01 Jul 2199 10:00:00 +0200\n"] {
            let id = try await test.add(field + "Date: Wed, 30 Jun 2021 10:00:00 +0200\n\nText")
            #expect(try await receivedAt(id, test)?.stringValue == now)
        }
    }

    /// What is attached to a message that is itself attached has a blob as well.
    @Test func partsOfAttachedMessagesAreBlobs() async throws {
        let test = try await TestKernel()
        func wrapped(_ message: String) -> String {
            """
            Subject: Outer
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary="b\(message.count)"

            --b\(message.count)
            Content-Type: message/rfc822

            \(message)
            --b\(message.count)--
            """
        }
        let inner = """
            Subject: Inner
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary=in

            --in
            Content-Type: application/x-data; name=a.bin

            DATA
            --in--
            """
        let id = try await test.add(wrapped(wrapped(inner)))
        let email = try await test.call("Email/get", ["ids": [.string(id)], "properties": ["attachments"]])
        var blob = try #require(email["list"][0]?["attachments"]?.arrayValue?.first?["blobId"]?.stringValue)
        for _ in 0..<2 {
            let parsed = try await test.call("Email/parse", ["blobIds": [.string(blob)]])["parsed"][blob]
            blob = try #require(parsed?["attachments"]?.arrayValue?.first?["blobId"]?.stringValue, "\(blob)")
        }
        #expect(try await test.download(blob) == Data("DATA".utf8))
        let draft: JSONValue = ["attachments": [["blobId": .string(blob), "name": "a.bin", "type": "a/b"]]]
        let kept = try await test.call("Draft/set", ["create": ["d": draft]])
        let draftID = try #require(kept["created"]["d"]?["id"], "\(kept.arguments)")
        try await test.wait(for: "the attachment's bytes") {
            let drafts = try await test.call("Draft/get", ["ids": [draftID]])
            return drafts["list"][0]?["attachments"]?.arrayValue?.first?["size"] == 4
        }
        let deep = blob + String(repeating: "_1", count: 4000)
        await #expect(throws: (any Error).self) {
            try await test.download(deep)
        }
    }
}
