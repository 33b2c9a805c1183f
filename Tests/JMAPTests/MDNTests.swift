import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ACC-66: RFC 9007.
@Suite("Receipts are sent on request only") struct MDNTests {
    private static let asking =
        "From: grace@example.org\r\nTo: ada@example.org\r\nSubject: Engines\r\nMessage-ID: <m1@example.org>\r\n"
        + "Disposition-Notification-To: Grace <grace@example.org>\r\n\r\ntext\r\n"

    private func identity(_ test: TestKernel) async throws -> JSONValue {
        try #require(try await test.call("Identity/get")["list"][0]?["id"])
    }

    private func receipt(_ email: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
        var object: [String: JSONValue] = [
            "forEmailId": .string(email), "subject": "Read: Engines",
            "disposition": [
                "actionMode": "manual-action", "sendingMode": "mdn-sent-manually", "type": "displayed",
            ],
        ]
        object.merge(more) { $1 }
        return .object(object)
    }

    @Test func aReceiptGoesThroughTheOutboxOnce() async throws {
        let test = try await TestKernel()
        let email = try await test.add(Self.asking)
        let identity = try await identity(test)
        let arguments: JSONValue = [
            "identityId": identity,
            "send": ["k": receipt(email, ["extensionFields": ["X-Extension": "example"]])],
            "onSuccessUpdateEmail": ["#k": ["keywords/$mdnsent": true]],
        ]
        let answer = try await test.call("MDN/send", arguments)
        #expect(answer["sent"]["k"]?["originalMessageId"] == "m1@example.org", "\(answer.arguments)")
        let read = try await test.call("Email/get", ["ids": [.string(email)], "properties": ["keywords"]])
        #expect(read["list"][0]?["keywords"]?["$mdnsent"] == true)
        let again = try await test.call("MDN/send", arguments)
        #expect(again["notSent"]["k"]?["type"] == "mdnAlreadySent")
        let submissions = try await test.storage.submissions(nil, in: test.ada)
        #expect(submissions.map(\.envelope.rcptTo) == [["grace@example.org"]])
        let grace = JSONValue.string(test.grace.rawValue)
        let find: JSONValue = ["accountId": grace, "filter": ["subject": "Read: Engines"]]
        try await test.wait(for: "the receipt") {
            try await test.call("Email/query", find)["ids"].arrayValue?.count == 1
        }
        let ids = try await test.call("Email/query", find)["ids"]
        let received = try await test.call(
            "Email/get", ["accountId": grace, "ids": ids, "properties": ["blobId"]])
        let blob = try #require(received["list"][0]?["blobId"]?.stringValue)
        let parsed = try await test.call(
            "MDN/parse", ["accountId": grace, "blobIds": [.string(blob), "missing"]])
        let found = parsed["parsed"][blob]
        #expect(found?["originalMessageId"] == "m1@example.org", "\(parsed.arguments)")
        #expect(found?["disposition"]?["type"] == "displayed" && found?["subject"] == "Read: Engines")
        #expect(found?["extensionFields"] == ["X-Extension": "example"])
        #expect(found?["includeOriginalMessage"] == false && parsed["notFound"] == ["missing"])
    }

    @Test func whatNobodyAskedForIsNotSent() async throws {
        let test = try await TestKernel()
        let asking = try await test.add(Self.asking)
        let plain = try await test.add("From: grace@example.org\r\nSubject: x\r\n\r\ntext\r\n")
        let automatic: JSONValue = [
            "actionMode": "automatic-action", "sendingMode": "mdn-sent-automatically", "type": "displayed",
        ]
        let answer = try await test.call(
            "MDN/send",
            [
                "identityId": try await identity(test),
                "send": [
                    "auto": receipt(asking, ["disposition": automatic]), "plain": receipt(plain),
                    "none": receipt("missing"), "kind": receipt(asking, ["disposition": ["type": "eaten"]]),
                    "forged": receipt(asking, ["extensionFields": ["X-A": "b\r\nDisposition: x"]]),
                ],
            ])
        #expect(answer["sent"] == .null, "\(answer.arguments)")
        let types = ["auto", "plain", "none", "kind", "forged"].map { answer["notSent"][$0]?["type"] }
        #expect(
            types == ["forbidden", "notFound", "notFound", "invalidProperties", "invalidProperties"])
        #expect(try await test.storage.submissions(nil, in: test.ada).isEmpty)
    }

    /// The example of RFC 8098, section 9.
    @Test func aReceiptIsRead() async throws {
        let test = try await TestKernel()
        let message = """
            Subject: Disposition notification
            MIME-Version: 1.0
            Content-Type: multipart/report; report-type=disposition-notification; boundary="B"

            --B

            It was displayed.
            --B
            content-type: message/disposition-notification

            Reporting-UA: joes-pc.cs.example.com; Foomail 97.1
            Original-Recipient: rfc822;Joe_Recipient@example.com
            Final-Recipient: rfc822;Joe_Recipient@example.com
            Original-Message-ID: <199509192301.23456@example.org>
            Disposition: manual-action/MDN-sent-manually; displayed
            Error: disk full

            --B
            content-type: message/rfc822

            Subject: First draft

            text
            --B--
            """
        let blob = try await test.upload(message.replacing("\n", with: "\r\n"), type: "message/rfc822")
        let other = try await test.upload("Subject: x\r\n\r\ntext", type: "message/rfc822")
        let answer = try await test.call("MDN/parse", ["blobIds": [.string(blob), .string(other)]])
        #expect(answer["notParsable"] == [.string(other)])
        let found = answer["parsed"][blob]
        #expect(found?["reportingUA"] == "joes-pc.cs.example.com; Foomail 97.1", "\(answer.arguments)")
        #expect(found?["finalRecipient"] == "rfc822;Joe_Recipient@example.com")
        #expect(found?["originalMessageId"] == "199509192301.23456@example.org")
        #expect(found?["disposition"]?["sendingMode"] == "mdn-sent-manually")
        #expect(found?["error"] == ["disk full"] && found?["includeOriginalMessage"] == true)
    }
}
