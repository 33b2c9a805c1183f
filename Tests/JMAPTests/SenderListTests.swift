import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ORG-66 and ORG-67.
@Suite("Senders are listed with what they send") struct SenderListTests {
    @discardableResult
    private func deliver(
        _ test: TestKernel, from: String, isSeen: Bool = false, to role: Mailbox.Role = .inbox,
        daysAgo: Double = 1
    ) async throws -> String {
        let date = (test.clock.now - daysAgo * 86_400).formatted(.iso8601)
        return try await test.add(
            "From: \(from)\r\nSubject: Hi\r\n\r\nWords.\r\n", to: role, keywords: isSeen ? ["$seen"] : [],
            receivedAt: date)
    }

    private func list(_ test: TestKernel, _ arguments: JSONValue = [:]) async throws -> CallAnswer {
        try await test.call("Sender/list", arguments)
    }

    private func emails(_ answer: CallAnswer) -> [String] {
        (answer["list"].arrayValue ?? []).compactMap { $0["email"]?.stringValue }
    }

    @Test func volumeShareReadAndLastMessageAreCounted() async throws {
        let test = try await TestKernel()
        try await deliver(test, from: "Old Name <News@Example.org>", isSeen: true, daysAgo: 200)
        let last = try await deliver(test, from: "Acme News <news@example.org>", daysAgo: 2)
        try await deliver(test, from: "Acme <news@example.org>", isSeen: true, daysAgo: 3)
        try await deliver(test, from: "Ben <ben@example.net>", isSeen: true)
        try await deliver(test, from: "spam@example.net", to: .junk)
        try await deliver(test, from: "gone@example.net", to: .trash)
        try await deliver(test, from: "Ada <ada@example.org>")
        let answer = try await list(test)
        #expect(answer["total"] == 2 && emails(answer) == ["news@example.org", "ben@example.net"])
        let news = answer["list"][0]
        #expect(news?["name"] == "Acme News" && news?["total"] == 3 && news?["recent"] == 2)
        #expect(news?["read"] == 2 && news?["lastEmailId"] == .string(last) && news?["unsubscribed"] == .null)
        // What changes is counted at once.
        _ = try await test.call("Email/set", ["update": [last: ["keywords/$seen": true]]])
        let trash = try await test.mailbox(.trash).rawValue
        let more = try await deliver(test, from: "ben@example.net")
        #expect(try await list(test)["list"][0]?["read"] == 3)
        #expect(try await list(test, ["text": "ben"])["list"][0]?["total"] == 2)
        _ = try await test.call("Email/set", ["update": [more: ["mailboxIds": [trash: true]]]])
        #expect(try await list(test, ["text": "ben"])["list"][0]?["total"] == 1)
        _ = try await test.call("Email/set", ["destroy": [.string(last)]])
        #expect(try await list(test)["list"][0]?["total"] == 2)
    }

    @Test func theyAreSortedSearchedAndReadInParts() async throws {
        let test = try await TestKernel()
        for (count, name) in [(3, "ann"), (1, "bob"), (2, "café")] {
            for number in 0..<count {
                try await deliver(
                    test,
                    from: "=?utf-8?q?\(name == "café" ? "Caf=C3=A9" : name)?= <\(name.prefix(3))@x.example>",
                    isSeen: name == "bob", daysAgo: name == "bob" ? 100 : Double(number + 1))
            }
        }
        #expect(try await emails(list(test)) == ["ann@x.example", "caf@x.example", "bob@x.example"])
        #expect(try await emails(list(test, ["sort": "name", "isAscending": true])).first == "ann@x.example")
        #expect(try await emails(list(test, ["sort": "readShare"])).first == "bob@x.example")
        #expect(
            try await emails(list(test, ["sort": "lastAt", "isAscending": true])).first == "bob@x.example")
        #expect(
            try await emails(list(test, ["sort": "total", "limit": 1, "position": 1])) == ["caf@x.example"])
        #expect(try await emails(list(test, ["text": "CAFE"])) == ["caf@x.example"])
        #expect(try await list(test, ["sort": "size"]).error == "invalidArguments")
    }

    @Test func archivingASenderIsExactAndUndoable() async throws {
        let test = try await TestKernel()
        for address in ["news@example.org", "News@Example.org", "x.news@example.org", "news@example.organic"]
        {
            try await deliver(test, from: "\(address)")
        }
        let inbox = try await test.mailbox(.inbox)
        func count() async throws -> Int {
            try await test.storage.queryEmails(
                EmailQuery(in: [test.ada], filter: .inMailbox(inbox), limit: 100)
            ).hits.count
        }
        let before = try await count()
        let place = JSONValue.string(inbox.rawValue)
        let action = try await test.call(
            "MailAction/set",
            ["create": ["a": ["verb": "archive", "sender": "news@example.org", "inMailboxId": place]]])
        let made = action["created"]["a"]
        #expect(made?["changed"] == 2, "\(action.arguments)")
        #expect(try await count() == before - 2)
        let id = try #require(made?["id"]?.stringValue)
        _ = try await test.call("MailAction/set", ["update": [id: ["isUndone": true]]])
        #expect(try await count() == before)
        let refused = try await test.call(
            "MailAction/set", ["create": ["a": ["verb": "archive", "sender": "news@example.org"]]])
        #expect(refused["notCreated"]["a"]?["type"] == "invalidProperties")
    }
}
