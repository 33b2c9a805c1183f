import Foundation
import MailKernelAPI
import Testing

@Suite("The values that cross a protocol") struct ValueTests {
    @Test(arguments: ["a", "A-z_09", String(repeating: "x", count: 255)])
    func idsThatJMAPAllows(_ text: String) { #expect(Id<Email>(text).isValid) }

    @Test(arguments: ["", "a b", "é", "a.b", "a/b", String(repeating: "x", count: 256), "a\u{0}"])
    func idsThatItDoesNot(_ text: String) { #expect(!Id<Email>(text).isValid) }

    @Test func idsThatLookTheSameAreDifferent() {
        let (one, two) = (Id<Email>("caf\u{E9}"), Id<Email>("cafe\u{301}"))
        #expect(one != two && one == Id("caf\u{E9}") && Set([one, two]).count == 2)
    }

    @Test func keywordsAreOfOneCase() {
        #expect(Keyword("$Seen") == .seen)
        #expect(Keyword("Work").rawValue == "work")
    }

    @Test(arguments: [
        "null", "true", "3", "-7", "0.25", "\"text\"", "[1,[],{}]", "{\"a\":{\"b\":[null,false]}}", "1e300",
    ])
    func jsonComesBackAsItWas(_ text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(value == again)
    }

    @Test func integersStayIntegersInJSON() throws {
        let data = try JSONEncoder().encode(JSONValue.object(["n": 5]))
        #expect(String(decoding: data, as: UTF8.self) == "{\"n\":5}")
    }

    @Test func valuesSurviveBeingSent() throws {
        let email = Email(
            id: Id("e1"), accountID: Id("a1"), blobID: Id("b1"), mailboxIDs: [Id("m1")], keywords: [.seen],
            size: 5,
            receivedAt: Date(timeIntervalSince1970: 1),
            header: EmailHeader(from: [EmailAddress(email: "a@b")]))
        let batch = ChangeBatch(
            messages: [
                RemoteMessage(
                    id: Id("1"), mailboxIDs: [], keywords: [], receivedAt: Date(timeIntervalSince1970: 2),
                    size: 3,
                    content: .whole(Data([0, 255])))
            ], cursor: SyncCursor(rawValue: "c"), hasMore: true)
        #expect(try sent(email) == email)
        #expect(try sent(batch).messages.first?.size == 3)
        #expect(try sent(SubmissionOutcome.unknown) == .unknown)
        let filter = EmailFilter.and([.text("x"), .not([.inMailbox(Id("m"))])])
        #expect(try sent(filter) == filter)
    }

    @Test func versionsAreComparedByNumber() throws {
        #expect(try #require(APIVersion("1.10")) > #require(APIVersion("1.9")))
        #expect(APIVersion("2.0") == .current)
    }

    @Test func encodingLeavesSecretsOut() throws {
        let url = try #require(URL(string: "https://mail.test/"))
        let request = HTTPRequest(
            "POST", url, body: DataSource(Data("x".utf8)), bearer: Secret("a token"), purpose: "test")
        let arrived = try sent(request)
        #expect(arrived.url == url && arrived.purpose == "test")
        #expect(arrived.bearer == nil && arrived.body == nil)
        let candidate = AccountCandidate(settings: ["port": 993], secrets: ["password": Secret("a password")])
        #expect(try sent(candidate).settings == candidate.settings)
        #expect(try sent(candidate).secrets.isEmpty)
    }

    @Test func encodingASignInLeavesSecretsOut() throws {
        let secret = Secret("correct horse")
        let url = try #require(URL(string: "https://mail.test/?state=x"))
        let steps: [AuthorizationStep] = [
            .form([FormField(name: "code", label: "Code", kind: .text)], memory: secret),
            .browser(url, memory: secret),
            .code(SignInCode(code: "AB-CD", page: url), memory: secret),
            .finished([AccountCandidate(settings: [:], secrets: ["password": secret])]),
        ]
        let answers: [AuthorizationAnswer] = [
            .begin(AuthorizationRequest(setupID: "imap", redirect: url)),
            .form(["code": secret], memory: secret),
            .redirected(["state": "x"], memory: secret),
            .shown(memory: secret),
        ]
        let logins: [SMTPSubmission.Login] = [
            .oauth(user: "ana", token: secret), .password(user: "ana", password: secret),
        ]
        let json = try [
            String(decoding: JSONEncoder().encode(steps), as: UTF8.self),
            String(decoding: JSONEncoder().encode(answers), as: UTF8.self),
            String(decoding: JSONEncoder().encode(logins), as: UTF8.self),
        ]
        #expect(!json.joined().contains("horse"))
        guard case .form(let fields, Secret("")) = try sent(steps)[0] else { throw Unexpected() }
        #expect(fields.map(\.name) == ["code"])
        guard case .redirected(["state": "x"], Secret("")) = try sent(answers)[2] else { throw Unexpected() }
        guard case .shown(Secret("")) = try sent(answers)[3] else { throw Unexpected() }
        #expect(try sent(logins) == [.oauth(user: "ana"), .password(user: "ana")])
    }

    private struct Unexpected: Error {}

    private func sent<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }
}
