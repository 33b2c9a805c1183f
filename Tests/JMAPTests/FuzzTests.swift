import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import TestSupport
import Testing

/// `MAILKERNEL_FUZZ_ROUNDS` makes it go on for longer, `MAILKERNEL_FUZZ_SEED` makes it another run.
@Suite("Whatever comes in, the answer is JSON or a refusal") struct FuzzTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["MAILKERNEL_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 300
    private static let seed =
        ProcessInfo.processInfo.environment["MAILKERNEL_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    private func requests(_ test: TestKernel) async throws -> [JSONValue] {
        let account = JSONValue.string(test.ada.rawValue)
        let inbox = try await test.mailbox(.inbox).rawValue
        let id = JSONValue.string(try await test.emailIDs()[0].rawValue)
        let calls: [(String, JSONValue)] = [
            (
                "Email/query",
                [
                    "accountId": account,
                    "filter": [
                        "operator": "OR", "conditions": [["inMailbox": .string(inbox)], ["text": "lunch"]],
                    ], "sort": [["property": "receivedAt", "isAscending": false]], "position": 0, "limit": 5,
                    "calculateTotal": true, "collapseThreads": true,
                ]
            ),
            (
                "Email/get",
                [
                    "accountId": account, "ids": [id],
                    "properties": ["subject", "header:From:asAddresses", "bodyValues", "bodyStructure"],
                    "fetchAllBodyValues": true, "maxBodyValueBytes": 10,
                ]
            ),
            (
                "Email/get",
                ["accountId": account, "#ids": ["resultOf": "c0", "name": "Email/query", "path": "/ids"]]
            ),
            (
                "Email/set",
                [
                    "accountId": account,
                    "create": [
                        "k": [
                            "mailboxIds": [inbox: true], "subject": "x",
                            "from": [["name": nil, "email": "a@b.org"]], "textBody": [["partId": "1"]],
                            "bodyValues": ["1": ["value": "t"]],
                        ]
                    ], "update": [id.stringValue ?? "": ["keywords/$seen": true]],
                ]
            ),
            (
                "Mailbox/set",
                [
                    "accountId": account, "create": ["m": ["name": "N", "parentId": nil]], "update": [:],
                    "destroy": [],
                ]
            ),
            ("Mailbox/query", ["accountId": account, "filter": ["hasAnyRole": true], "sortAsTree": true]),
            (
                "EmailSubmission/set",
                [
                    "accountId": account,
                    "create": [
                        "s": [
                            "identityId": "i", "emailId": id,
                            "envelope": ["mailFrom": ["email": "a@b.org"], "rcptTo": [["email": "c@d.org"]]],
                        ]
                    ], "onSuccessUpdateEmail": ["#s": ["keywords/$draft": nil]],
                ]
            ),
            (
                "Preferences/set",
                [
                    "accountId": "program",
                    "update": ["singleton": ["appTheme": "dark", "categoryTabVisibility/primary": false]],
                ]
            ),
            ("SearchSnippet/get", ["accountId": account, "filter": ["text": "lunch"], "emailIds": [id]]),
            ("Email/queryChanges", ["accountId": account, "sinceQueryState": "a/b", "upToId": id]),
            ("Email/parse", ["accountId": account, "blobIds": [id]]),
            (
                "Core/echo",
                [
                    "#a": ["resultOf": "c0", "name": "Core/echo", "path": ""],
                    "#b": ["resultOf": "c0", "name": "Core/echo", "path": ""], "c": ["x", ["y"]],
                ]
            ),
            (
                "Email/set",
                [
                    "accountId": account,
                    "update": [
                        id.stringValue ?? "": [
                            "keywords/\(String(repeating: "a/~1", count: 30))": true,
                            "mailboxIds/\(String(repeating: "x", count: 1200))": nil,
                        ]
                    ],
                ]
            ),
            ("Window/set", ["accountId": "program", "update": ["w": ["isVisible": true]]]),
            (
                "Email/import",
                [
                    "accountId": account,
                    "emails": [
                        "i": [
                            "blobId": "B", "mailboxIds": [inbox: true], "receivedAt": "2020-01-01T00:00:00Z",
                        ]
                    ],
                ]
            ),
        ]
        return calls.map { call in
            [
                "using": .array(TestKernel.everything.map { .string($0) }),
                "methodCalls": .array(
                    (0..<(call.0 == "Core/echo" ? 40 : 2)).map {
                        // Each may refer to the one before.
                        [
                            .string(call.0),
                            $0 == 0 && call.0 == "Core/echo"
                                ? ["d": "e"] : call.1.referring(to: "c\(max(0, $0 - 1))"),
                            .string("c\($0)"),
                        ]
                    }),
            ]
        }
    }

    @Test(.timeLimit(.minutes(30))) func mutatedRequests() async throws {
        var random = SeededRandom(Self.seed)
        var limits = JMAPLimits()
        limits.maxSizeAnswers = 1_000_000
        let test = try await TestKernel(messages: 6, limits: limits)
        let all = try await requests(test)
        for round in 0..<Self.rounds {
            let original = all.randomElement(using: &random) ?? .null
            var bytes = try JSONEncoder().encode(mutated(original, &random))
            if round.isMultiple(of: 3) { garble(&bytes, &random) }
            do {
                let answer = try await test.jmap.respond(to: bytes, for: TestKernel.page, at: TestKernel.urls)
                let json = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
                #expect(json?["methodResponses"] is [Any] && json?["sessionState"] is String)
            } catch let problem as RequestProblem {
                #expect(
                    (400..<500).contains(problem.status),
                    "\(problem) for \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        // The account is as sound as before.
        #expect(try await test.call("Mailbox/get").error == nil)
    }

    private func mutated(_ value: JSONValue, _ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        if Int.random(in: 0..<40, using: &random) == 0 { return strange(&random) }
        switch value {
        case .array(var elements):
            elements = elements.map { mutated($0, &random, depth: depth + 1) }
            if depth > 1, Int.random(in: 0..<15, using: &random) == 0,
                let one = elements.randomElement(using: &random)
            {
                elements.append(one)
            }
            return .array(elements)
        case .object(let members):
            var changed: [String: JSONValue] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let drop = Int.random(in: 0..<30, using: &random)
                if drop == 0 { continue }
                changed[drop == 1 ? key + "x" : drop == 2 ? "#" + key : key] = mutated(
                    value, &random, depth: depth + 1)
            }
            return .object(changed)
        case .string(let text) where Int.random(in: 0..<30, using: &random) == 0:
            return .string(text + "/\u{0}~1*é😀")
        case .number where Int.random(in: 0..<5, using: &random) == 0:
            return .number(
                [-1, 0, 1.5, 9_007_199_254_740_992, -9e15, 1e300].randomElement(using: &random) ?? 0)
        default: return value
        }
    }

    private func strange(_ random: inout SeededRandom) -> JSONValue {
        [nil, true, 0, -1, 1e308, "", "\u{0}", [], [:], [[]], ["": nil], "#c0", "/", ["a": ["a": ["a": 1]]]]
            .randomElement(using: &random) ?? .null
    }

    private func garble(_ bytes: inout Data, _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
    }

    /// Foundation's reader and ours agree, through an echo.
    @Test func numbersAndTextsComeBackAsTheyAre() async throws {
        let test = try await TestKernel(isStarted: false)
        let texts = ["", "\u{0}\u{1F}\"\\/\u{8}\u{C}\n\r\t", "é\u{65}\u{301}", "😀", "\u{FFFF}", "\u{2028}"]
        let numbers: [Double] = [0, -0.5, 1e-7, 123_456_789_012, 9_007_199_254_740_991, 1e21, -1.5e-300, 0.1]
        let value: JSONValue = [
            "t": .array(texts.map { .string($0) }), "n": .array(numbers.map { .number($0) }),
        ]
        let answer = try await test.call("Core/echo", value)
        #expect(answer["t"].strings == texts && answer["n"].arrayValue?.compactMap(\.numberValue) == numbers)
        let raw =
            #"{"using":["urn:ietf:params:jmap:core"],"methodCalls":[["Core/echo",{"a":"\ud83d\ude00\u00e9\/\b"},"0"]]}"#
        let echoed = try await test.send(Data(raw.utf8))
        #expect(echoed["methodResponses"]?[0]?[1]?["a"] == "😀é/\u{8}")
    }
}

extension JSONValue {
    /// With all references to the call `c0` to another.
    fileprivate func referring(to call: String) -> JSONValue {
        switch self {
        case .object(var members):
            if members["resultOf"] == "c0" { members["resultOf"] = .string(call) }
            return .object(members.mapValues { $0.referring(to: call) })
        case .array(let elements): return .array(elements.map { $0.referring(to: call) })
        default: return self
        }
    }
}
