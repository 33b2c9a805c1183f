import Foundation
import KernelSupport
import MailKernelAPI
import TestSupport
import Testing

@Suite("Queries and their changes (RFC 8620, sections 5.5 and 5.6)") struct QueryTests {
    private func ids(_ test: TestKernel, _ arguments: JSONValue = [:]) async throws -> [String] {
        try await test.call("Email/query", arguments)["ids"].strings
    }

    @Test func windows() async throws {
        let test = try await TestKernel(messages: 9)
        let all = try await ids(test)
        #expect(all == (try await test.emailIDs()).map(\.rawValue) && all.count == 9)
        #expect(try await ids(test, ["position": 2, "limit": 3]) == Array(all[2..<5]))
        let negative = try await test.call("Email/query", ["position": -3])
        #expect(negative["ids"].strings == Array(all[6...]) && negative["position"] == 6)
        #expect(try await ids(test, ["position": -100, "limit": 1]) == [all[0]])
        #expect(try await ids(test, ["position": 100]) == [])
        #expect(try await ids(test, ["limit": 0]) == [])
        let anchored = try await test.call(
            "Email/query", ["anchor": .string(all[4]), "anchorOffset": -2, "limit": 2])
        #expect(anchored["ids"].strings == Array(all[2..<4]) && anchored["position"] == 2)
        #expect(try await ids(test, ["anchor": .string(all[1]), "anchorOffset": -5, "limit": 1]) == [all[0]])
        #expect(try await test.call("Email/query", ["anchor": "none"]).error == "anchorNotFound")
        let counted = try await test.call("Email/query", ["calculateTotal": true, "limit": 1])
        #expect(counted["total"] == 9 && counted["limit"] == .null)
        let collapsed = try await test.call("Email/query", ["collapseThreads": true, "calculateTotal": true])
        #expect(collapsed["total"] == 3 && collapsed["ids"].strings.count == 3)
        #expect(try await test.call("Email/query", ["limit": 1_000_000])["limit"].intValue ?? 0 > 0)
    }

    private static let bodies =
        [
            (
                "From: Anna <anna@a.org>\r\nTo: x@b.org\r\nSubject: Zebra\r\nX-List: one two\r\n\r\nbanana split\r\n",
                "2020-01-01T00:00:00Z", ["$seen"]
            ),
            (
                "From: Bert <bert@a.org>\r\nTo: y@b.org\r\nCc: c@b.org\r\nSubject: apple\r\n\r\ncherry\r\n",
                "2020-01-02T00:00:00Z", ["$flagged"]
            ),
            (
                "From: Cleo <cleo@a.org>\r\nTo: z@b.org\r\nBcc: d@b.org\r\nSubject: Mango\r\n\r\n\(String(repeating: "durian ", count: 300))\r\n",
                "2020-01-03T00:00:00Z", []
            ),
        ] as [(String, String, [String])]

    @Test func filtersAndSorts() async throws {
        let test = try await TestKernel()
        var names: [String: String] = [:]
        for (index, (text, date, keywords)) in Self.bodies.enumerated() {
            names[try await test.add(text, keywords: keywords, receivedAt: date)] =
                "abc".map(String.init)[index]
        }
        let inbox = try await test.mailbox(.inbox).rawValue
        func found(_ filter: JSONValue) async throws -> String {
            try await test.call("Email/query", ["filter": filter])["ids"].strings.compactMap { names[$0] }
                .sorted().joined()
        }
        let filters: [(JSONValue, String)] = [
            ([:], "abc"), (["inMailbox": .string(inbox)], "abc"), (["inMailbox": "none"], ""),
            (["inMailboxOtherThan": [.string(inbox)]], ""), (["before": "2020-01-02T00:00:00Z"], "a"),
            (["after": "2020-01-02T00:00:00Z"], "bc"), (["minSize": 1000], "c"), (["maxSize": 1000], "ab"),
            (["hasKeyword": "$SEEN"], "a"), (["notKeyword": "$seen"], "bc"),
            (["allInThreadHaveKeyword": "$flagged"], "b"),
            (["someInThreadHaveKeyword": "$seen"], "a"), (["noneInThreadHaveKeyword": "$seen"], "bc"),
            (["hasAttachment": true], ""), (["hasAttachment": false], "abc"), (["text": "banana"], "a"),
            (["from": "bert"], "b"), (["to": "z@b.org"], "c"), (["cc": "c@b.org"], "b"),
            (["bcc": "d@b.org"], "c"),
            (["subject": "APPLE"], "b"), (["body": "cherry"], "b"), (["header": ["X-List"]], "a"),
            (["header": ["x-list", "two"]], "a"), (["header": ["x-list", "three"]], ""),
            (["operator": "OR", "conditions": [["from": "anna"], ["from": "bert"]]], "ab"),
            (["operator": "NOT", "conditions": [["from": "anna"], ["from": "bert"]]], "c"),
            (["operator": "AND", "conditions": [["from": "anna"], ["hasKeyword": "$seen"]]], "a"),
            (["from": "anna", "subject": "apple"], ""), (["inRole": "inbox"], "abc"),
            (["category": "uncategorized"], "abc"),
        ]
        for (filter, expected) in filters { #expect(try await found(filter) == expected, "\(filter)") }
        for (sort, expected) in [
            ("receivedAt", "abc"), ("size", "bac"), ("from", "abc"), ("to", "abc"), ("subject", "bca"),
            ("sentAt", "abc"),
        ] {
            for isAscending in [true, false] {
                let answer = try await test.call(
                    "Email/query", ["sort": [["property": .string(sort), "isAscending": .bool(isAscending)]]])
                let order = answer["ids"].strings.compactMap { names[$0] }.joined()
                #expect(order == (isAscending ? expected : String(expected.reversed())), "\(sort)")
            }
        }
        for (filter, error) in [
            (["color": 1], "unsupportedFilter"), (["header": []], "invalidArguments"),
            (["operator": "AND"], "invalidArguments"),
        ] as [(JSONValue, String)] {
            #expect(try await test.call("Email/query", ["filter": filter]).error == error)
        }
        #expect(
            try await test.call("Email/query", ["sort": [["property": "color"]]]).error == "unsupportedSort")
        #expect(
            try await test.call("Email/query", ["sort": [["property": "size", "collation": "i;nope"]]]).error
                == "unsupportedSort")
    }

    @Test func aFilterOfTooManyConditionsIsUnsupported() async throws {
        let test = try await TestKernel()
        func filter(_ count: Int) -> JSONValue {
            ["operator": "OR", "conditions": .array((0..<count).map { ["minSize": .number(Double($0))] })]
        }
        #expect(try await test.call("Email/query", ["filter": filter(5001)]).error == "unsupportedFilter")
        #expect(try await test.call("Email/query", ["filter": filter(4000)]).error == nil)
    }

    /// Old result plus changes is the new result, whatever happened.
    @Test(arguments: 0..<12)
    func oldResultAndChangesMakeTheNewResult(_ seed: UInt64) async throws {
        var random = SeededRandom(seed)
        let test = try await TestKernel(messages: 15)
        let inbox = try await test.mailbox(.inbox).rawValue
        let trash = try await test.mailbox(.trash).rawValue
        let queries: [JSONValue] = [
            ["filter": ["inMailbox": .string(inbox)], "collapseThreads": true],
            ["filter": ["inMailbox": .string(inbox)]],
            ["filter": ["hasKeyword": "$flagged"], "sort": [["property": "subject"]]],
            [
                "filter": ["someInThreadHaveKeyword": "$seen"], "collapseThreads": true,
                "sort": [["property": "hasKeyword", "keyword": "$flagged"], ["property": "size"]],
            ],
        ]
        var results: [[String]] = []
        var states: [JSONValue] = []
        for query in queries {
            let answer = try await test.call("Email/query", query)
            results.append(answer["ids"].strings)
            states.append(answer["queryState"])
            #expect(answer["canCalculateChanges"] == true)
        }
        for step in 0..<8 {
            let all = try await test.emailIDs().map(\.rawValue)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let id = all.randomElement(using: &random) else { break }
                switch Int.random(in: 0..<5, using: &random) {
                case 0: _ = try await test.call("Email/set", ["destroy": [.string(id)]])
                case 1: _ = try await test.call("Email/set", ["update": [id: ["keywords/$flagged": true]]])
                case 2: _ = try await test.call("Email/set", ["update": [id: ["keywords": [:]]]])
                case 3: _ = try await test.call("Email/set", ["update": [id: ["mailboxIds": [trash: true]]]])
                default:
                    _ = try await test.add(
                        "From: a@b.org\r\nSubject: New \(step)\r\nIn-Reply-To: <fill-\(Int.random(in: 0..<15, using: &random))@example.org>\r\n\r\nx",
                        receivedAt: "2023-11-1\(Int.random(in: 0..<5, using: &random))T00:00:00Z")
                }
            }
            await test.settle()
            for (index, query) in queries.enumerated() {
                var arguments = query.objectValue ?? [:]
                arguments["sinceQueryState"] = states[index]
                arguments["calculateTotal"] = true
                let changes = try await test.call("Email/queryChanges", .object(arguments))
                let now = try await test.call("Email/query", query)
                guard changes.error == nil else {
                    #expect(changes.error == "cannotCalculateChanges")
                    results[index] = now["ids"].strings
                    states[index] = now["queryState"]
                    continue
                }
                let removed = Set(changes["removed"].strings)
                results[index].removeAll { removed.contains($0) }
                for added in changes["added"].arrayValue ?? [] {
                    let place = try #require(added["index"]?.intValue)
                    results[index].insert(
                        try #require(added["id"]?.stringValue), at: min(place, results[index].count))
                }
                #expect(results[index] == now["ids"].strings, "seed \(seed), step \(step), query \(index)")
                #expect(
                    changes["newQueryState"] == now["queryState"] && changes["oldQueryState"] == states[index]
                )
                #expect(changes["total"].intValue == results[index].count)
                states[index] = changes["newQueryState"]
            }
        }
    }

    /// RFC 8620, section 5.6: a client that has seen a new one already must not hold it twice.
    @Test func whatIsAddedIsRemovedBefore() async throws {
        let test = try await TestKernel(messages: 3)
        let state = try await test.call("Email/query")["queryState"]
        let id = try await test.add("Subject: x\r\n\r\n")
        let changes = try await test.call("Email/queryChanges", ["sinceQueryState": state])
        let added = changes["added"].arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        #expect(added.contains(id) && Set(added).isSubset(of: changes["removed"].strings))
    }

    @Test func aCollationThatIsNotThereIsRefused() async throws {
        let test = try await TestKernel()
        for (method, property) in [
            ("Email/query", "subject"), ("Mailbox/query", "name"), ("EmailSubmission/query", "sentAt"),
        ] {
            func answer(_ collation: JSONValue) async throws -> CallAnswer {
                try await test.call(
                    method, ["sort": [["property": .string(property), "collation": collation]]])
            }
            #expect(try await answer("i;octet").error == "unsupportedSort", "\(method)")
            #expect(try await answer("i;unicode-casemap").error == nil, "\(method)")
        }
    }

    @Test func changesOfEmailsAreTold() async throws {
        let test = try await TestKernel(messages: 3)
        let state = try await test.call("Email/get", ["ids": []])["state"]
        let id = try await test.emailIDs()[0].rawValue
        _ = try await test.call("Email/set", ["update": [id: ["keywords/$flagged": true]]])
        let added = try await test.add("Subject: x\r\n\r\n")
        let changes = try await test.call("Email/changes", ["sinceState": state])
        #expect(changes["created"].strings == [added] && changes["updated"].strings.contains(id))
        #expect(changes["hasMoreChanges"] == false && changes["oldState"] == state)
        let first = try await test.call("Email/changes", ["sinceState": state, "maxChanges": 1])
        #expect(first["hasMoreChanges"] == true)
        #expect(
            try await test.call("Email/changes", ["sinceState": "nonsense"]).error == "cannotCalculateChanges"
        )
        let tooMany = try await test.call(
            "Email/queryChanges",
            ["sinceQueryState": .string("\(state.stringValue ?? "")/x"), "maxChanges": 1])
        #expect(tooMany.error == "cannotCalculateChanges")
    }
}
