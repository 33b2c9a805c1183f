import KernelSupport
import MailKernelAPI
import Testing

/// RFC 8620, section 5.3, and RFC 6901, section 3.
@Suite("Paths of a patch") struct PatchPathTests {
    @Test(
        arguments: [
            ["keywords/a~": true], ["keywords/a~2": true], ["keywords/~": true],
            ["keywords/a": true, "keywords/A": .null],
        ] as [JSONValue])
    func aPathThatMeansTwoThingsOrNoneIsRefused(_ patch: JSONValue) async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        let before = try await test.email(id).keywords
        let answer = try await test.call("Email/set", ["update": [id.rawValue: patch]])
        #expect(answer["notUpdated"][id.rawValue]?["type"] == "invalidPatch", "\(answer.arguments)")
        #expect(try await test.email(id).keywords == before)
    }

    @Test func escapesAreRead() async throws {
        let test = try await TestKernel(messages: 1)
        let id = try await test.emailIDs()[0]
        _ = try await test.call("Email/set", ["update": [id.rawValue: ["keywords/a~1b~0c~01": true]]])
        #expect(try await test.email(id).keywords.contains(Keyword("a/b~c~1")))
    }
}
