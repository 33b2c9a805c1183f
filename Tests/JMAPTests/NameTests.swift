import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// Names and ids are equal if their code points are; Swift's strings are equal if they look the same.
@Suite("Names by their code points") struct NameTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private func answers(_ test: TestKernel, _ calls: String) async throws -> Data {
        let request =
            #"{"using":["urn:ietf:params:jmap:core","urn:ietf:params:jmap:mail"],"methodCalls":["# + calls
            + "]}"
        return try await test.jmap.respond(to: Data(request.utf8), for: TestKernel.page, at: TestKernel.urls)
    }

    @Test func namesThatLookTheSameAreTwo() async throws {
        let test = try await TestKernel()
        let echo = "{\"\(Self.composed)\":1,\"\(Self.decomposed)\":2,\"K\":3,\"\u{212A}\":4}"
        let answer = try await answers(test, "[\"Core/echo\",\(echo),\"e\"]")
        for piece in ["\"\(Self.composed)\":1", "\"\(Self.decomposed)\":2", "\"K\":3", "\"\u{212A}\":4"] {
            #expect(
                answer.range(of: Data(piece.utf8)) != nil,
                "\(piece) in \(String(decoding: answer, as: UTF8.self))")
        }
    }

    @Test func theSameNameTwiceIsRefused() async throws {
        let test = try await TestKernel()
        for name in [Self.decomposed, "\u{212A}", "a\\uFFFF"] {
            let twice = "{\"\(name)\":1,\"\(name)\":2}"
            await #expect(throws: (any Error).self) {
                try await answers(test, "[\"Core/echo\",\(twice),\"e\"]")
            }
        }
    }

    @Test func theKelvinSignIsNoK() async throws {
        let test = try await TestKernel(messages: 2)
        let id = try await test.emailIDs()[0].rawValue
        _ = try await test.call("Email/set", ["update": [id: ["keywords/key": true]]])
        func found(_ filter: JSONValue) async throws -> [String] {
            try await test.call("Email/query", ["filter": filter])["ids"].strings
        }
        #expect(try await found(["hasKeyword": "KEY"]) == [id])
        #expect(try await found(["hasKeyword": "\u{212A}EY"]) == [])
        let filter = try await test.call("Email/query", ["filter": ["has\u{212A}eyword": "key"]])
        #expect(filter.error == "unsupportedFilter")
        let sort = try await test.call(
            "Email/query", ["sort": [["property": "has\u{212A}eyword", "keyword": "key"]]])
        #expect(sort.error == "unsupportedSort")
        for keyword in ["\u{212A}ey", "caf\u{E9}", "cafe\u{301}"] {
            let answer = try await test.call("Email/set", ["update": [id: ["keywords/\(keyword)": true]]])
            #expect(answer["notUpdated"][id]?["type"] == "invalidProperties", "\(answer.arguments)")
        }
    }

    @Test func aFieldIsFoundByItsOwnName() async throws {
        let test = try await TestKernel()
        let id = try await test.add("Subject: x\r\nX-\u{212A}ey: one\r\nTo: a@example.org\r\n\r\nbody\r\n")
        let read = try await test.call(
            "Email/get", ["ids": [.string(id)], "properties": ["header:X-Key", "header:x-key:all"]])["list"][
                0]
        #expect(read?["header:X-Key"] == .null && read?["header:x-key:all"] == [], "\(read ?? .null)")
    }

    @Test func idsThatLookTheSameAreTwo() async throws {
        let test = try await TestKernel()
        let ids = [Self.composed, Self.decomposed, "K", "\u{212A}", "K"]
        let missing = try await test.call("Email/get", ["ids": .array(ids.map { .string($0) })])["notFound"]
            .strings
        #expect(missing.map { Array($0.utf8) } == ids.dropLast().map { Array($0.utf8) })
        let mailbox = try await test.call(
            "Mailbox/get", ["ids": .array(ids.map { .string($0) })])["notFound"].strings
        #expect(mailbox.map { Array($0.utf8) } == ids.dropLast().map { Array($0.utf8) })
        let account = try await test.call("Email/get", ["accountId": .string(test.ada.rawValue + "\u{301}")])
        #expect(account.error == "accountNotFound")
    }

    @Test func aReferenceNamesTheCallByItsCodePoints() async throws {
        let test = try await TestKernel()
        func referring(to name: String) async throws -> String {
            let call = "[\"Core/echo\",{\"\(Self.decomposed)\":[7]},\"\(Self.composed)\"]"
            let reference =
                "{\"#x\":{\"resultOf\":\"\(name)\",\"name\":\"Core/echo\",\"path\":\"/\(Self.decomposed)/0\"}}"
            return String(
                decoding: try await answers(test, call + ",[\"Core/echo\",\(reference),\"second\"]"),
                as: UTF8.self)
        }
        #expect(try await referring(to: Self.composed).contains("\"x\":7"))
        #expect(try await referring(to: Self.decomposed).contains("invalidResultReference"))
    }

    /// RFC 8620, section 1.2.
    @Test(arguments: ["", "é", "a b", "a.b", "#a", "a/b", "\u{212A}", String(repeating: "x", count: 256)])
    func aCreationIdIsAnId(_ name: String) async throws {
        let test = try await TestKernel()
        for (method, argument) in [
            ("Mailbox/set", "create"), ("Email/set", "create"), ("Identity/set", "create"),
            ("EmailSubmission/set", "create"), ("Draft/set", "create"), ("Email/import", "emails"),
        ] {
            let answer = try await test.call(method, [argument: [name: ["name": "x"]]])
            #expect(answer.error == "invalidArguments", "\(method) \(answer.arguments)")
        }
        let copy = try await test.call(
            "Email/copy",
            ["fromAccountId": .string(test.grace.rawValue), "create": [name: ["id": "x"]]])
        #expect(copy.error == "invalidArguments")
        await #expect(throws: (any Error).self) {
            try await test.send(
                ["using": ["urn:ietf:params:jmap:core"], "methodCalls": [], "createdIds": [name: "M1"]])
        }
        let long = String(repeating: "x", count: 255)
        let made = try await test.call("Mailbox/set", ["create": [long: ["name": "x"]]])
        #expect(made["created"].keys == [long])
    }
}
