import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Dates (RFC 8620, section 1.4)") struct DateTests {
    private static let notUTC = [
        "2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00-00:00", "2020-02-30T00:00:00Z",
        "2019-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2020-13-01T00:00:00Z", "2020-00-01T00:00:00Z", "2020-01-00T00:00:00Z",
        "2020-04-31T00:00:00Z", "2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z", "2020-01-01T00:00:60Z",
        "2020-01-01 00:00:00Z", "2020-01-01t00:00:00z", "2020-01-01T00:00:00", "2020-01-01T00:00:00.Z",
        "2020-01-01",
        "20200101T000000Z", "2020-01-01T00:00:00.0Z", "2020-01-01T00:00:00.000Z", "2020-1-1T0:0:0Z",
        "+2020-01-01T00:00:00Z", "2020-01-01T00:00:00ZZ",
        "２020-01-01T00:00:00Z", "", "now",
    ]

    @Test(arguments: notUTC) func whatIsNoUTCDateIsRefused(_ text: String) async throws {
        let test = try await TestKernel()
        for key in ["before", "after"] {
            let answer = try await test.call("Email/query", ["filter": [key: .string(text)]])
            #expect(answer.error == "invalidArguments", "\(answer.arguments)")
        }
        let drafts = try await test.mailbox(.drafts).rawValue
        let made = try await test.call(
            "Email/set", ["create": ["k": ["mailboxIds": [drafts: true], "receivedAt": .string(text)]]])
        #expect(made["notCreated"]["k"]?["properties"] == ["receivedAt"], "\(made.arguments)")
        let blob = try await test.upload("Subject: x\r\n\r\nx\r\n")
        let imported = try await test.call(
            "Email/import",
            [
                "emails": [
                    "k": ["blobId": .string(blob), "mailboxIds": [drafts: true], "receivedAt": .string(text)]
                ]
            ])
        #expect(imported["notCreated"]["k"]?["properties"] == ["receivedAt"], "\(imported.arguments)")
    }

    @Test(arguments: [
        ("2020-02-29T23:59:59Z", "2020-02-29T23:59:59Z"), ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
        ("2014-10-30T06:12:00.050Z", "2014-10-30T06:12:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("1582-10-10T12:00:00Z", "1582-10-10T12:00:00Z"), ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ])
    func aUTCDateIsKept(_ text: String, _ expected: String) async throws {
        let test = try await TestKernel()
        let id = try await test.add("Subject: x\r\n\r\nx\r\n", receivedAt: text)
        let read = try await test.call("Email/get", ["ids": [.string(id)], "properties": ["receivedAt"]])
        #expect(read["list"][0]?["receivedAt"]?.stringValue == expected)
    }

    /// `sentAt` is a `Date`: it says what the sender's clock showed.
    @Test(arguments: [
        ("Tue, 3 Jan 2023 10:00:00 +0530", "2023-01-03T10:00:00+05:30"),
        ("Tue, 3 Jan 2023 01:00:00 -0800", "2023-01-03T01:00:00-08:00"),
        ("Tue, 3 Jan 2023 10:00:00 +0000", "2023-01-03T10:00:00Z"),
    ])
    func sentAtKeepsItsOffset(_ field: String, _ expected: String) async throws {
        let test = try await TestKernel()
        let message = "Date: \(field)\r\nSubject: x\r\n\r\nx\r\n"
        let id = try await test.add(message)
        let properties: JSONValue = ["sentAt", "header:Date:asDate"]
        let read = try await test.call("Email/get", ["ids": [.string(id)], "properties": properties])["list"][
            0]
        #expect(
            read?["sentAt"]?.stringValue == expected && read?["header:Date:asDate"]?.stringValue == expected)
        let blob = try await test.upload(message, type: "message/rfc822")
        let parsed = try await test.call(
            "Email/parse", ["blobIds": [.string(blob)], "properties": properties])
        #expect(parsed["parsed"][blob]?["sentAt"]?.stringValue == expected)
        let drafts = try await test.mailbox(.drafts).rawValue
        let made = try await test.call(
            "Email/set", ["create": ["k": ["mailboxIds": [drafts: true], "sentAt": .string(expected)]]])
        let draft = try #require(made["created"]["k"]?["id"], "\(made.arguments)")
        let again = try await test.call("Email/get", ["ids": [draft], "properties": properties])["list"][0]
        #expect(again?["sentAt"]?.stringValue == expected)
    }
}
