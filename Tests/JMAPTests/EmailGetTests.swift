import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Email/get (RFC 8621, sections 4.1 and 4.2)") struct EmailGetTests {
    static let mail = """
        From: "Joe Bloggs" <joe@example.com>, =?utf-8?q?J=C3=A4n?= <jan@example.com>\r
        To: friends: ann@example.com, bob@example.com;\r
        Subject: =?utf-8?q?Dinner_tonight=3F_=C3=9C?=\r
        Date: Tue, 10 Jul 2018 01:03:11 +1000\r
        Message-ID: <a@example.com>\r
        In-Reply-To: <b@example.com>\r
        References: <c@example.com> <b@example.com>\r
        List-Unsubscribe: <mailto:leave@example.com>, <https://example.com/leave>\r
        X-Two: one\r
        X-Two: two\r
        MIME-Version: 1.0\r
        Content-Type: multipart/mixed; boundary=outer\r
        \r
        --outer\r
        Content-Type: multipart/alternative; boundary=inner\r
        \r
        --inner\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: 8bit\r
        \r
        Grüße an alle\r
        --inner\r
        Content-Type: text/html; charset=utf-8\r
        Content-Transfer-Encoding: 8bit\r
        \r
        <p>Grüße an alle</p>\r
        --inner--\r
        --outer\r
        Content-Type: image/png; name="a.png"\r
        Content-Disposition: attachment; filename="a.png"\r
        Content-Transfer-Encoding: base64\r
        Content-ID: <pic@example.com>\r
        Content-Language: en, de\r
        Content-Location: https://example.com/a.png\r
        X-Part: yes\r
        \r
        AAECAw==\r
        --outer--\r

        """

    private func got(_ arguments: JSONValue) async throws -> JSONValue {
        let test = try await TestKernel()
        let id = try await test.add(Self.mail, receivedAt: "2018-07-10T01:05:08Z")
        var members = arguments.objectValue ?? [:]
        members["ids"] = [.string(id)]
        let answer = try await test.call("Email/get", .object(members))
        return try #require(answer["list"][0])
    }

    @Test func metadata() async throws {
        let email = try await got([
            "properties": [
                "threadId", "mailboxIds", "from", "subject", "receivedAt", "header:List-POST:asURLs",
                "hasAttachment",
                "size", "keywords", "preview", "blobId",
            ]
        ])
        #expect(email["from"]?[0] == ["name": "Joe Bloggs", "email": "joe@example.com"])
        #expect(email["from"]?[1]?["name"] == "Jän")
        #expect(email["subject"] == "Dinner tonight? Ü")
        #expect(email["receivedAt"] == "2018-07-10T01:05:08Z")
        #expect(email["header:List-POST:asURLs"] == .null)
        #expect(email["hasAttachment"] == true && email["keywords"] == [:])
        #expect(email["size"]?.intValue == Data(Self.mail.utf8).count)
        #expect(email["preview"]?.stringValue?.hasPrefix("Grüße") == true)
        #expect(email["id"] != nil && email["threadId"]?.stringValue != nil)
        #expect(email["mailboxIds"]?.objectValue?.count == 1)
        #expect(email["bodyValues"] == nil)
    }

    @Test func everyFormOfAHeader() async throws {
        let names = [
            "header:Subject", "header:Subject:asText", "header:From:asAddresses",
            "header:To:asGroupedAddresses",
            "header:Message-ID:asMessageIds", "header:References:asMessageIds", "header:Date:asDate",
            "header:List-Unsubscribe:asURLs", "header:X-Two", "header:X-Two:all", "header:X-Two:asText:all",
            "header:x-nothing", "header:x-nothing:all", "messageId", "inReplyTo", "references", "sentAt",
            "to",
            "sender", "cc", "replyTo",
        ]
        let email = try await got(["properties": .array(names.map { .string($0) })])
        #expect(email["header:Subject"] == " =?utf-8?q?Dinner_tonight=3F_=C3=9C?=")
        #expect(email["header:Subject:asText"] == "Dinner tonight? Ü")
        #expect(email["header:From:asAddresses"]?[1]?["email"] == "jan@example.com")
        #expect(email["header:To:asGroupedAddresses"]?[0]?["name"] == "friends")
        #expect(email["header:To:asGroupedAddresses"]?[0]?["addresses"]?.arrayValue?.count == 2)
        #expect(email["header:Message-ID:asMessageIds"] == ["a@example.com"])
        #expect(email["header:References:asMessageIds"] == ["c@example.com", "b@example.com"])
        #expect(email["header:Date:asDate"]?.stringValue.map { $0.hasPrefix("2018-07-") } == true)
        #expect(
            email["header:List-Unsubscribe:asURLs"] == [
                "mailto:leave@example.com", "https://example.com/leave",
            ])
        #expect(email["header:X-Two"] == " two" && email["header:X-Two:all"] == [" one", " two"])
        #expect(email["header:X-Two:asText:all"] == ["one", "two"])
        #expect(email["header:x-nothing"] == .null && email["header:x-nothing:all"] == [])
        #expect(email["messageId"] == ["a@example.com"] && email["inReplyTo"] == ["b@example.com"])
        #expect(email["to"]?.arrayValue?.count == 2)
        #expect(email["sender"] == .null && email["cc"] == .null && email["replyTo"] == .null)
        #expect(email["sentAt"] != .null)
    }

    @Test(arguments: [
        "header:Subject:asAddresses", "header:From:asDate", "header:Date:asText", "header:From:asURLs",
        "header:",
        "header:A b", "header:Subject:asText:asRaw", "header:Subject:all:asText", "nothing", "header",
    ])
    func aFormThatAFieldDoesNotHaveIsRefused(_ property: String) async throws {
        let test = try await TestKernel()
        let answer = try await test.call("Email/get", ["ids": [], "properties": [.string(property)]])
        #expect(answer.error == "invalidArguments")
    }

    @Test func allBodyForms() async throws {
        let email = try await got([
            "properties": ["bodyStructure", "textBody", "htmlBody", "attachments", "bodyValues", "headers"],
            "bodyProperties": [
                "partId", "blobId", "size", "name", "type", "charset", "disposition", "cid", "language",
                "location", "headers", "header:X-Part:asText", "subParts",
            ], "fetchAllBodyValues": true,
        ])
        let structure = try #require(email["bodyStructure"])
        #expect(structure["type"] == "multipart/mixed" && structure["partId"] == .null)
        #expect(structure["subParts"]?[0]?["subParts"]?.arrayValue?.count == 2)
        let image = try #require(email["attachments"]?[0])
        #expect(image["name"] == "a.png" && image["type"] == "image/png" && image["size"] == 4)
        #expect(image["disposition"] == "attachment" && image["cid"] == "pic@example.com")
        #expect(image["language"] == ["en", "de"] && image["location"] == "https://example.com/a.png")
        #expect(image["header:X-Part:asText"] == "yes" && image["charset"] == .null)
        let text = try #require(email["textBody"]?[0])
        let html = try #require(email["htmlBody"]?[0])
        #expect(text["type"] == "text/plain" && html["type"] == "text/html")
        let part = try #require(text["partId"]?.stringValue)
        #expect(email["bodyValues"]?[part]?["value"]?.stringValue?.contains("Grüße an alle") == true)
        #expect(email["bodyValues"]?.objectValue?.count == 2)
        #expect(email["headers"]?[0]?["name"] == "From")
    }

    @Test func valuesAreFetchedOnlyWhenAskedFor() async throws {
        let none = try await got(["properties": ["bodyValues"]])
        #expect(none["bodyValues"] == [:])
        let text = try await got(["properties": ["bodyValues", "textBody"], "fetchTextBodyValues": true])
        #expect(text["bodyValues"]?.keys == [text["textBody"]?[0]?["partId"]?.stringValue ?? ""])
        let html = try await got(["properties": ["bodyValues", "htmlBody"], "fetchHTMLBodyValues": true])
        #expect(html["bodyValues"]?.keys == [html["htmlBody"]?[0]?["partId"]?.stringValue ?? ""])
    }

    @Test(arguments: 1...12)
    func aValueIsCutBetweenCharacters(_ bytes: Int) async throws {
        let email = try await got([
            "properties": ["bodyValues", "textBody"], "fetchTextBodyValues": true,
            "maxBodyValueBytes": .number(Double(bytes)),
        ])
        let part = try #require(email["textBody"]?[0]?["partId"]?.stringValue)
        let value = try #require(email["bodyValues"]?[part])
        let text = try #require(value["value"]?.stringValue)
        #expect(text.utf8.count <= bytes && value["isTruncated"] == true)
        #expect("Grüße an alle".hasPrefix(text) && !text.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test func unknownIdsAreNotFoundAndEachIsAnsweredOnce() async throws {
        let test = try await TestKernel(messages: 2)
        let id = try await test.emailIDs()[0].rawValue
        let answer = try await test.call(
            "Email/get", ["ids": [.string(id), "nope", .string(id), "!bad id"], "properties": ["id"]])
        #expect(answer["list"] == [["id": .string(id)]])
        #expect(answer["notFound"].strings == ["nope", "!bad id"])
    }

    @Test func partsCanBeDownloaded() async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.mail)
        let answer = try await test.call(
            "Email/get", ["ids": [.string(id)], "properties": ["attachments", "blobId"]])
        let email = try #require(answer["list"][0])
        let part = try #require(email["attachments"]?[0]?["blobId"]?.stringValue)
        #expect(try await test.download(part) == Data([0, 1, 2, 3]))
        let whole = try #require(email["blobId"]?.stringValue)
        #expect(try await test.download(whole) == Data(Self.mail.utf8))
        await #expect(throws: (any Error).self) { try await test.download("nothing") }
        // Another account has no such blob.
        await #expect(throws: (any Error).self) { try await test.download(whole, of: test.grace) }
    }

    @Test func parseSaysTheSameWithoutKeeping() async throws {
        let test = try await TestKernel()
        let blob = try await test.upload(Self.mail, type: "message/rfc822")
        let junk = try await test.upload("\r\nno header at all")
        let answer = try await test.call(
            "Email/parse",
            [
                "blobIds": [.string(blob), .string(junk), "missing"], "fetchTextBodyValues": true,
                "properties": [
                    "id", "mailboxIds", "keywords", "receivedAt", "threadId", "subject", "from", "bodyValues",
                    "textBody",
                    "hasAttachment", "attachments",
                ],
            ])
        let email = try #require(answer["parsed"][blob])
        for name in ["id", "mailboxIds", "keywords", "receivedAt", "threadId"] {
            #expect(email[name] == .null)
        }
        #expect(email["subject"] == "Dinner tonight? Ü" && email["hasAttachment"] == true)
        #expect(answer["notParsable"].strings == [junk] && answer["notFound"].strings == ["missing"])
        let part = try #require(email["attachments"]?[0]?["blobId"]?.stringValue)
        #expect(try await test.download(part) == Data([0, 1, 2, 3]))
    }

    @Test func threadsHoldTheirEmailsOldestFirst() async throws {
        let test = try await TestKernel(messages: 3)
        let email = try await test.call(
            "Email/get", ["ids": [.string(try await test.emailIDs()[0].rawValue)]])
        let thread = try #require(email["list"][0]?["threadId"]?.stringValue)
        let answer = try await test.call("Thread/get", ["ids": [.string(thread), "none"]])
        #expect(
            answer["list"][0]?["emailIds"]?.strings == (try await test.emailIDs()).reversed().map(\.rawValue))
        #expect(answer["notFound"].strings == ["none"])
    }

    @Test func snippetsMarkWhatWasFound() async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.mail)
        let answer = try await test.call(
            "SearchSnippet/get", ["filter": ["text": "dinner"], "emailIds": [.string(id), "missing"]])
        #expect(answer["list"][0]?["emailId"] == .string(id))
        #expect(answer["list"][0]?["subject"] == "<mark>Dinner</mark> tonight? Ü")
        #expect(answer["list"][0]?["preview"] == .null)
        #expect(answer["notFound"].strings == ["missing"])
    }
}
