import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import Testing

@Suite("A request as a whole is read or refused (RFC 8620, section 3)") struct RequestTests {
    private func problem(
        _ text: String, limits: JMAPLimits = JMAPLimits(), as client: JMAPClient = TestKernel.page
    ) async throws -> RequestProblem? {
        let test = try await TestKernel(limits: limits, isStarted: false)
        do {
            _ = try await test.send(Data(text.utf8), as: client)
            return nil
        } catch let problem as RequestProblem {
            return problem
        }
    }

    @Test(arguments: [
        "", "{", "nonsense", #"{"using":[],"methodCalls":[]} x"#,
        #"{"using":[],"using":[],"methodCalls":[]}"#,
        #"{"using":["\ud800"],"methodCalls":[]}"#, #"{"using":["\udc00\ud800"],"methodCalls":[]}"#,
        "{\"using\":[\"a\u{0001}\"],\"methodCalls\":[]}", #"{"using":[1e999],"methodCalls":[]}"#,
        #"{"using":[01],"methodCalls":[]}"#, #"{"using":[+1],"methodCalls":[]}"#, #"{"using":[],}"#,
        #"{'using':[],"methodCalls":[]}"#, #"{"using":["\x"],"methodCalls":[]}"#,
        String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 5000),
    ])
    func whatIsNotIJSONIsRefused(_ text: String) async throws {
        let problem = try #require(try await problem(text))
        #expect(problem.type == "urn:ietf:params:jmap:error:notJSON" && problem.status == 400)
    }

    @Test func bytesThatAreNotUTF8AreRefused() async throws {
        let test = try await TestKernel(isStarted: false)
        let bytes = Data(#"{"using":[""#.utf8) + Data([0xFF, 0xC0]) + Data(#""],"methodCalls":[]}"#.utf8)
        await #expect(throws: RequestProblem.self) { try await test.send(bytes) }
    }

    @Test(arguments: [
        "[]", "null", "1", #""x""#, "{}", #"{"using":[]}"#, #"{"methodCalls":[]}"#,
        #"{"using":"urn:ietf:params:jmap:core","methodCalls":[]}"#, #"{"using":[1],"methodCalls":[]}"#,
        #"{"using":[],"methodCalls":{}}"#, #"{"using":[],"methodCalls":[[]]}"#,
        #"{"using":[],"methodCalls":[["Core/echo",{}]]}"#,
        #"{"using":[],"methodCalls":[["Core/echo",[],"a"]]}"#,
        #"{"using":[],"methodCalls":[["Core/echo",{},1]]}"#,
        #"{"using":[],"methodCalls":[["Core/echo",{},"a","b"]]}"#,
        #"{"using":[],"methodCalls":[],"createdIds":[]}"#,
        #"{"using":[],"methodCalls":[],"createdIds":{"a":1}}"#,
    ])
    func whatIsNotARequestIsRefused(_ text: String) async throws {
        let problem = try #require(try await problem(text))
        #expect(problem.type == "urn:ietf:params:jmap:error:notRequest" && problem.status == 400)
    }

    @Test func anUnknownCapabilityIsNamed() async throws {
        let problem = try #require(
            try await problem(#"{"using":["https://example.com/apis/foobar"],"methodCalls":[]}"#))
        #expect(problem.type == "urn:ietf:params:jmap:error:unknownCapability")
        #expect(problem.detail.contains("https://example.com/apis/foobar"))
    }

    @Test func theLimitThatWasPassedIsNamed() async throws {
        var limits = JMAPLimits()
        limits.maxCallsInRequest = 2
        limits.maxSizeRequest = 300
        let call = #"["Core/echo",{},"a"]"#
        let many = #"{"using":[],"methodCalls":[\#([call, call, call].joined(separator: ","))]}"#
        #expect(try await problem(many, limits: limits)?.limit == "maxCallsInRequest")
        let long = #"{"using":[],"methodCalls":[],"x":"\#(String(repeating: "x", count: 300))"}"#
        let tooLong = try #require(try await problem(long, limits: limits))
        #expect(tooLong.limit == "maxSizeRequest" && tooLong.type == "urn:ietf:params:jmap:error:limit")
    }

    /// The example of section 3.3.1 and its answer in section 3.4.1.
    @Test func callsAreAnsweredInTheirOrder() async throws {
        let test = try await TestKernel(isStarted: false)
        let answers = try await test.calls([
            ("Core/echo", ["arg1": "arg1data", "arg2": "arg2data"]), ("No/such", [:]),
            ("Core/echo", ["hello": true, "high": 5]),
        ])
        #expect(answers.map(\.name) == ["Core/echo", "error", "Core/echo"])
        #expect(answers.map(\.callID) == ["c0", "c1", "c2"])
        #expect(answers[0].arguments == ["arg1": "arg1data", "arg2": "arg2data"])
        #expect(answers[1].error == "unknownMethod")
        #expect(answers[2].arguments == ["hello": true, "high": 5])
    }

    @Test func aMethodWhoseCapabilityIsNotUsedIsUnknown() async throws {
        let test = try await TestKernel(isStarted: false)
        let core = ["urn:ietf:params:jmap:core"]
        #expect(try await test.call("Mailbox/get", [:], using: core).error == "unknownMethod")
        #expect(try await test.call("Identity/get", [:], using: core).error == "unknownMethod")
        #expect(try await test.call("Core/echo", [:], using: []).error == "unknownMethod")
    }

    @Test func createdIdsComeBackOnlyIfTheyWereGiven() async throws {
        let test = try await TestKernel()
        let create: JSONValue = [
            "accountId": .string(test.ada.rawValue), "create": ["k": ["name": "Above"]],
        ]
        var request: [String: JSONValue] = [
            "using": ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail"],
            "methodCalls": [["Mailbox/set", create, "0"]],
        ]
        #expect(try await test.send(.object(request))["createdIds"] == nil)
        request["createdIds"] = ["old": "X1"]
        request["methodCalls"] = [
            [
                "Mailbox/set",
                ["accountId": .string(test.ada.rawValue), "create": ["k2": ["name": "B"]]], "0",
            ]
        ]
        let answer = try await test.send(.object(request))
        #expect(answer["createdIds"]?["old"] == "X1")
        let made = answer["methodResponses"]?[0]?[1]?["created"]?["k2"]?["id"]
        #expect(made != nil && answer["createdIds"]?["k2"] == made)
    }

    @Test func theSessionStateIsThatOfTheSession() async throws {
        let test = try await TestKernel()
        func states() async throws -> [String?] {
            let session = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
            let object = try JSONDecoder().decode(JSONValue.self, from: session)
            let answer = try await test.send(["using": [], "methodCalls": []])
            return [object["state"]?.stringValue, answer["sessionState"]?.stringValue]
        }
        let before = try await states()
        #expect(before[0] == before[1])
        try await test.program(
            "AccountSettings/set", ["destroy": [.string(test.grace.rawValue)]])
        let after = try await states()
        #expect(after[0] == after[1] && after[0] != before[0])
    }

    /// Section 2.
    @Test func theSessionSaysWhatThereIs() async throws {
        let test = try await TestKernel(lacking: [.submission])
        let data = try await test.jmap.session(for: TestKernel.reader, at: TestKernel.urls)
        let session = try JSONDecoder().decode(JSONValue.self, from: data)
        let core = session["capabilities"]?["urn:ietf:params:jmap:core"]
        for limit in [
            "maxSizeUpload", "maxConcurrentUpload", "maxSizeRequest", "maxConcurrentRequests",
            "maxCallsInRequest", "maxObjectsInGet", "maxObjectsInSet",
        ] {
            #expect(core?[limit]?.intValue ?? 0 > 0, "\(limit)")
        }
        #expect(core?["collationAlgorithms"]?.strings == ["i;unicode-casemap"])
        #expect(session["username"] == "reader" && session["apiUrl"] == "http://localhost/api")
        let account = session["accounts"]?[test.ada.rawValue]
        #expect(account?["name"] == "ada@example.org" && account?["isPersonal"] == true)
        #expect(account?["isReadOnly"] == true)
        let mail = account?["accountCapabilities"]?["urn:ietf:params:jmap:mail"]
        #expect(mail?["maxMailboxesPerEmail"] == .null && mail?["mayCreateTopLevelMailbox"] == true)
        #expect(mail?["emailQuerySortOptions"]?.strings.contains("receivedAt") == true)
        #expect(account?["accountCapabilities"]?["urn:ietf:params:jmap:submission"] == nil)
        let primary = session["primaryAccounts"]?["urn:ietf:params:jmap:mail"]?.stringValue
        #expect(test.accounts.contains { $0.id.rawValue == primary })
        #expect(session["primaryAccounts"]?["urn:ietf:params:jmap:submission"] == nil)
        #expect(session["primaryAccounts"]?["urn:mailkernel:preferences"] == "program")
    }
}

@Suite("A call is read or refused (RFC 8620, section 3.6.2)") struct CallTests {
    @Test func argumentsThatCannotBeAreNamed() async throws {
        let test = try await TestKernel()
        let cases: [(String, JSONValue, String)] = [
            ("Mailbox/get", ["accountId": 1], "accountId"), ("Mailbox/get", ["ids": "x"], "ids"),
            ("Mailbox/get", ["ids": [1]], "ids"), ("Mailbox/get", ["properties": ["nope"]], "properties"),
            ("Mailbox/get", ["idz": []], "idz"), ("Email/query", ["limit": -1], "limit"),
            ("Email/query", ["limit": 1.5], "limit"), ("Email/query", ["position": "1"], "position"),
            ("Email/query", ["filter": []], "filter"), ("Email/query", ["sort": [:]], "sort"),
            ("Email/query", ["collapseThreads": "yes"], "collapseThreads"),
            ("Email/query", ["calculateTotal": 1], "calculateTotal"),
            ("Email/changes", [:], "sinceState"),
            ("Email/changes", ["sinceState": "x", "maxChanges": 0], "maxChanges"),
            ("Email/set", ["create": []], "create"), ("Email/set", ["update": ["a": 1]], "update"),
            ("Email/set", ["destroy": "a"], "destroy"),
            ("Email/get", ["ids": [], "bodyProperties": ["x"]], "bodyProperties"),
            ("Email/get", ["ids": [], "properties": ["header:Subject:asDate"]], "properties"),
            ("Email/get", ["ids": [], "maxBodyValueBytes": -1], "maxBodyValueBytes"),
            ("Email/query", ["filter": ["before": "yesterday"]], "before"),
            ("Email/query", ["filter": ["operator": "XOR", "conditions": []]], "filter"),
            ("Email/query", ["sort": [["property": "hasKeyword"]]], "keyword"),
            ("SearchSnippet/get", ["filter": ["text": "a"]], "emailIds"),
            ("Email/import", [:], "emails"), ("Email/parse", [:], "blobIds"),
        ]
        for (method, arguments, name) in cases {
            let answer = try await test.call(method, arguments)
            #expect(answer.error == "invalidArguments", "\(method) \(arguments)")
            #expect(answer["arguments"].strings == [name], "\(method) \(arguments)")
            #expect(answer["description"].stringValue?.contains(name) == true)
        }
    }

    @Test func accountsThatAreNotThereOrOfAnotherKind() async throws {
        let test = try await TestKernel()
        for method in ["Mailbox/get", "Email/query", "Thread/get", "Identity/get", "EmailSubmission/get"] {
            #expect(try await test.call(method, ["accountId": "nobody"]).error == "accountNotFound")
            #expect(
                try await test.call(method, ["accountId": "program"]).error == "accountNotSupportedByMethod")
        }
        for method in ["Preferences/get", "AccountSettings/get", "Window/get", "Plugin/get", "Contact/query"]
        {
            #expect(try await test.call(method, ["accountId": "nobody"]).error == "accountNotFound")
            #expect(try await test.call(method).error == "accountNotSupportedByMethod")
        }
    }

    @Test func whoMayOnlyReadChangesNothing() async throws {
        let test = try await TestKernel(messages: 3)
        let before = try await test.call("Email/query")["queryState"]
        let id = try #require(try await test.emailIDs().first).rawValue
        let box = try await test.mailbox(.inbox).rawValue
        let calls: [(String, JSONValue)] = [
            ("Email/set", ["destroy": [.string(id)]]),
            ("Mailbox/set", ["create": ["k": ["name": "x"]]]),
            ("Email/import", ["emails": ["k": ["blobId": "b", "mailboxIds": [box: true]]]]),
            ("Email/copy", ["fromAccountId": .string(test.grace.rawValue), "create": [:]]),
            ("Blob/copy", ["fromAccountId": .string(test.grace.rawValue), "blobIds": []]),
            ("Identity/set", [:]), ("EmailSubmission/set", [:]),
            // Fetching an image is seen by its sender.
            ("EmailView/get", ["ids": [.string(id)], "loadRemote": true]),
        ]
        for (method, arguments) in calls {
            let answer = try await test.call(method, arguments, as: TestKernel.reader)
            #expect(answer.error == "accountReadOnly", "\(method)")
        }
        for method in ["Preferences/set", "AccountSettings/set", "Window/set"] {
            #expect(try await test.program(method, as: TestKernel.reader).error == "accountReadOnly")
        }
        #expect(try await test.call("Email/query", as: TestKernel.reader)["queryState"] == before)
        let views = try await test.call("EmailView/get", ["ids": [.string(id)]], as: TestKernel.reader)
        #expect(views["list"].arrayValue?.count == 1)
        #expect(try await test.program("SyncStatus/refresh", as: TestKernel.reader).error == nil)
        await #expect(throws: RequestProblem.self) {
            try await test.jmap.upload(type: "text/plain", to: test.ada.rawValue, for: TestKernel.reader)
        }
    }

    @Test func tooMuchAtOnceIsRefused() async throws {
        var limits = JMAPLimits()
        limits.maxObjectsInGet = 2
        limits.maxObjectsInSet = 2
        let test = try await TestKernel(messages: 3, limits: limits)
        let ids: JSONValue = ["a", "b", "c"]
        for (method, arguments) in [
            ("Mailbox/get", ["ids": ids]), ("Email/get", ["ids": ids]), ("Thread/get", ["ids": ids]),
            ("Email/get", [:]), ("Mailbox/get", [:]), ("Email/set", ["destroy": ids]),
            ("Email/parse", ["blobIds": ids]), ("SearchSnippet/get", ["emailIds": ids]),
            ("Email/import", ["emails": ["a": [:], "b": [:], "c": [:]]]),
            ("Identity/set", ["destroy": ids]), ("EmailSubmission/set", ["destroy": ids]),
        ] as [(String, JSONValue)] {
            #expect(try await test.call(method, arguments).error == "requestTooLarge", "\(method)")
        }
    }

    @Test func aStateThatIsNotTheCurrentOneChangesNothing() async throws {
        let test = try await TestKernel(messages: 3)
        let id = try #require(try await test.emailIDs().first).rawValue
        for method in ["Email/set", "Mailbox/set", "Identity/set", "EmailSubmission/set"] {
            let answer = try await test.call(method, ["ifInState": "old", "destroy": [.string(id)]])
            #expect(answer.error == "stateMismatch", "\(method)")
        }
        let imported = try await test.call("Email/import", ["ifInState": "old", "emails": [:]])
        #expect(imported.error == "stateMismatch")
        #expect(try await test.emailIDs().count == 3)
        let state = try await test.call("Email/get", ["ids": []])["state"]
        let answer = try await test.call("Email/set", ["ifInState": state, "destroy": [.string(id)]])
        #expect(answer["destroyed"].strings == [id] && answer["oldState"] == state)
        #expect(answer["newState"] != state)
    }
}

@Suite("A call can take over what an earlier one answered (RFC 8620, section 3.7)")
struct ResultReferenceTests {
    private func echo(_ value: JSONValue, path: String) async throws -> CallAnswer {
        let test = try await TestKernel(isStarted: false)
        return try await test.calls([
            ("Core/echo", ["value": value]),
            (
                "Core/echo",
                ["#got": ["resultOf": "c0", "name": "Core/echo", "path": .string(path)]]
            ),
        ])[1]
    }

    @Test(
        arguments: [
            ("/value", "x", "x"), ("/value/a", ["a": 1], 1), ("/value/1", [5, 6], 6),
            ("/value/*/a", [["a": 1], ["a": 2]], [1, 2]),
            ("/value/*/a", [["a": [1, 2]], ["a": [3]]], [1, 2, 3]),
            ("/value/*", [[1], [2, 3]], [1, 2, 3]), ("/value/*/a", [], []),
            ("/value/a~1b/c~0d", ["a/b": ["c~d": 7]], 7),
            ("/value/", ["": 8], 8), ("", 1, ["value": 1]), ("/value/*/*", [[[1], [2]], [[3]]], [1, 2, 3]),
        ] as [(String, JSONValue, JSONValue)])
    func aPathFindsItsValue(_ path: String, _ value: JSONValue, _ expected: JSONValue) async throws {
        #expect(try await echo(value, path: path)["got"] == expected)
    }

    @Test(
        arguments: [
            ("/nope", "x"), ("value", "x"), ("/value/a", "x"), ("/value/2", [1, 2]), ("/value/01", [1, 2]),
            ("/value/-1", [1]), ("/value/*/a", [["a": 1], ["b": 2]]), ("/value/*", ["a": 1]),
            ("/value/+1", [1, 2]),
        ] as [(String, JSONValue)])
    func aPathThatLeadsNowhereIsRefused(_ path: String, _ value: JSONValue) async throws {
        #expect(try await echo(value, path: path).error == "invalidResultReference")
    }

    @Test func theCallAndItsNameHaveToBeThere() async throws {
        let test = try await TestKernel(isStarted: false)
        for reference in [
            ["resultOf": "c9", "name": "Core/echo", "path": "/a"],
            ["resultOf": "c0", "name": "Email/get", "path": "/a"],
            ["resultOf": "c0", "name": "Core/echo"], "c0", ["resultOf": 1, "name": 2, "path": 3],
        ] as [JSONValue] {
            let answers = try await test.calls([
                ("Core/echo", ["a": 1]), ("Core/echo", ["#a": reference]),
            ])
            #expect(answers[1].error == "invalidResultReference")
        }
    }

    @Test func anArgumentGivenTwiceIsRefused() async throws {
        let test = try await TestKernel(isStarted: false)
        let reference: JSONValue = ["resultOf": "c0", "name": "Core/echo", "path": "/a"]
        let answers = try await test.calls([
            ("Core/echo", ["a": 1]), ("Core/echo", ["a": 2, "#a": reference]),
        ])
        #expect(answers[1].error == "invalidArguments")
    }

    /// The example of the section: query, then the threads of what was found, then their emails.
    @Test func aWholeScreenInOneRequest() async throws {
        let test = try await TestKernel(messages: 6)
        let account = JSONValue.string(test.ada.rawValue)
        let answers = try await test.calls([
            (
                "Email/query",
                ["accountId": account, "collapseThreads": true, "position": 0, "limit": 10]
            ),
            (
                "Email/get",
                [
                    "accountId": account, "properties": ["threadId"],
                    "#ids": ["resultOf": "c0", "name": "Email/query", "path": "/ids"],
                ]
            ),
            (
                "Thread/get",
                [
                    "accountId": account,
                    "#ids": ["resultOf": "c1", "name": "Email/get", "path": "/list/*/threadId"],
                ]
            ),
            (
                "Email/get",
                [
                    "accountId": account, "properties": ["from", "receivedAt", "subject"],
                    "#ids": ["resultOf": "c2", "name": "Thread/get", "path": "/list/*/emailIds"],
                ]
            ),
        ])
        #expect(answers.allSatisfy { $0.error == nil })
        #expect(answers[0]["ids"].strings.count == 2)
        #expect(answers[3]["list"].arrayValue?.count == 6)
        #expect(answers[3]["list"][0]?.keys == ["from", "id", "receivedAt", "subject"])
    }
}
