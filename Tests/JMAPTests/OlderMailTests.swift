import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// ORG-80, ORG-81, ORG-82, ORG-83: mail that is older than the sync window is searched at the service.
@Suite("Older mail is searched at the service") struct OlderMailTests {
    private static let ada = "ada@example.org"
    private static let day = 86_400.0

    /// Messages, one every ten days; those of the last 30 days are on this device.
    private func made(
        _ layout: MemoryMailServer.Layout = .labels, lacking: AccountFeatures = [], count: Int = 10
    ) async throws -> TestKernel {
        let test = try await TestKernel(layout: layout, lacking: lacking, isStarted: false)
        for number in 0..<count {
            let file = number == 6 ? "Plan.pdf" : "Cat.jpg"
            let text = """
                From: Ana Lima <ana@a.org>\r\nTo: ada@example.org\r\nSubject: Roof \(number)\r\n\
                Message-ID: <\(number)@a.org>\r\nMIME-Version: 1.0\r\n\
                Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nproof\r\n\
                --b\r\nContent-Type: application/octet-stream\r\n\
                Content-Disposition: attachment; filename="\(file)"\r\n\r\nabc\r\n--b--\r\n
                """
            test.server.deliver(
                Data(text.utf8), to: Self.ada,
                receivedAt: test.clock.now - Double(number) * 10 * Self.day - 60)
        }
        try await test.start()
        await test.settle()
        return test
    }

    private func query(
        _ test: TestKernel, _ search: String, _ more: [String: JSONValue] = [:]
    ) async throws -> CallAnswer {
        let arguments: [String: JSONValue] = ["filter": ["search": .string(search)]]
        return try await test.call("OlderMail/query", .object(arguments.merging(more) { $1 }))
    }

    private func subjects(_ answer: CallAnswer) throws -> [String] {
        try #require(answer["list"].arrayValue, "\(answer.arguments)").compactMap {
            $0["subject"]?.stringValue
        }
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func itIsFoundNewestFirstInPagesAndNotStored(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await made(layout)
        let here = try await test.emailIDs().count
        #expect(here == 3)
        let first = try await query(test, "roof", ["limit": 3])
        #expect(try subjects(first) == ["Roof 3", "Roof 4", "Roof 5"])
        let next = try await query(test, "roof", ["limit": 50, "position": first["nextPosition"]])
        #expect(try subjects(next) == ["Roof 6", "Roof 7", "Roof 8", "Roof 9"])
        #expect(next["nextPosition"] == .null && next["isCut"] == false)
        #expect(try await test.emailIDs().count == here)
    }

    /// A service is asked for few messages at a time, as each may be large.
    @Test func aPageIsReadInSeveralCalls() async throws {
        let test = try await made(count: 30)
        let first = try await query(test, "roof", ["limit": 20])
        #expect(try subjects(first) == (3..<23).map { "Roof \($0)" })
        let next = try await query(test, "roof", ["limit": 20, "position": first["nextPosition"]])
        #expect(try subjects(next) == (23..<30).map { "Roof \($0)" })
        #expect(next["nextPosition"] == .null)
    }

    /// The memory server finds texts inside of words, and knows nothing of files' names.
    @Test func whatTheServiceCannotExpressIsCheckedAgain() async throws {
        let test = try await made()
        let expected: [(String, [String])] = [
            ("roo proof", ["Roof 3", "Roof 4", "Roof 5", "Roof 6", "Roof 7", "Roof 8", "Roof 9"]),
            ("body:roof", []), ("filename:plan", ["Roof 6"]), ("has:pdf subject:roof", ["Roof 6"]),
            ("roof -has:image", ["Roof 6"]), ("roof older_than:75d", ["Roof 8", "Roof 9"]),
            ("in:inbox has:pdf", ["Roof 6"]), ("in:sent roof", []), ("-roof", []),
            ("from:ana subject:\"roof 4\"", ["Roof 4"]),
        ]
        for (search, wanted) in expected {
            #expect(try subjects(try await query(test, search)) == wanted, "\(search)")
        }
        let refused = try await query(test, "category:social")
        #expect(refused.error == "unsupportedFilter")
        #expect(refused["description"].stringValue == "The service cannot search older mail by category.")
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func whatIsOpenedStaysForADay(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await made(layout)
        let before = test.server.messages(of: Self.ada)
        let found = try await query(test, "roof", ["limit": 2])
        let wanted = try #require(found["list"].arrayValue?.last)
        let kept = try await test.call(
            "OlderMail/keep", ["feedId": wanted["feedId"] ?? .null, "remoteId": wanted["remoteId"] ?? .null])
        let email = try await test.call(
            "Email/get", ["ids": [kept["emailId"]], "properties": ["subject", "threadId"]])
        #expect(email["list"].arrayValue?.first?["subject"] == "Roof 4")
        #expect(email["list"].arrayValue?.first?["threadId"] == kept["threadId"])
        // Mail that is here is not shown twice, and is the same when it is opened again.
        #expect(try subjects(try await query(test, "roof", ["limit": 2])) == ["Roof 3", "Roof 5"])
        let again = try await test.call(
            "OlderMail/keep", ["feedId": wanted["feedId"] ?? .null, "remoteId": wanted["remoteId"] ?? .null])
        #expect(again["emailId"] == kept["emailId"])
        #expect(try await test.emailIDs().count == 4)
        test.clock.advance(by: 0.9 * Self.day)
        await test.settle()
        #expect(try await test.emailIDs().count == 4)
        for _ in 0..<4 {
            test.clock.advance(by: 0.3 * Self.day)
            await test.settle()
        }
        try await test.wait(for: "only newer mail") { try await test.emailIDs().count == 3 }
        #expect(test.server.messages(of: Self.ada) == before)
    }

    @Test func whatGoesWrongIsSaid() async throws {
        let test = try await made()
        let gone = try await test.call("OlderMail/keep", ["feedId": "everything", "remoteId": "nothing"])
        #expect(gone.error == "notFound")
        let reader = try await test.call(
            "OlderMail/keep", ["feedId": "everything", "remoteId": "1"], as: TestKernel.reader)
        #expect(reader.error == "accountReadOnly")
        #expect(try await query(test, "roof", ["position": 100_000]).error == "invalidArguments")
        test.server.setOutage(.offline)
        let offline = try await query(test, "roof")
        #expect(offline.error == "serverUnavailable")
        #expect(
            offline["description"].stringValue == "Network unavailable. Check your connection and try again.")
    }

    @Test(arguments: [AccountFeatures.olderMail, .serverSearch, []])
    func onlyServicesThatCanOfferIt(_ lacking: AccountFeatures) async throws {
        let test = try await made(lacking: lacking)
        let session = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        let described = try JSONDecoder().decode(JSONValue.self, from: session)
        let account = described["accounts"]?[test.ada.rawValue]?["accountCapabilities"]
        #expect(account?["urn:mailkernel:reading"]?["hasOlderMail"] == .bool(lacking.isEmpty))
        let answer = try await query(test, "roof")
        #expect((answer.error == nil) == lacking.isEmpty)
        #expect(lacking.isEmpty || answer["description"].stringValue?.hasSuffix("in this account.") == true)
    }
}
