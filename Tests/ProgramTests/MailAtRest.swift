import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// What a mail program finds: the program is started, asked over JMAP, and stopped again.
struct MailAtRest {
    private let mailboxes: [String: String]
    private let emails: [[String: Any]]
    let count: Int

    init(_ installed: Installed) async throws {
        let token = try await installed.run("token", "create", UUID().uuidString, loadsPlugins: false).output
            .split(separator: "\n").first
        let program = try installed.start()
        #expect(await program.line(containing: "Open http"))
        let link = try #require(program.outputSoFar.split(separator: " ").last { $0.hasPrefix("http") })
        let base = try #require(URL(string: String(link))?.deletingLastPathComponent())
        let mail = JMAPOverHTTP(base: base, token: String(try #require(token)))
        let session = try await mail.get(".well-known/jmap")
        let primary = session["primaryAccounts"] as? [String: String]
        let account = try #require(primary?["urn:ietf:params:jmap:mail"])
        let answers = try await mail.call([
            ["Mailbox/get", ["accountId": account], "0"],
            ["Email/query", ["accountId": account, "calculateTotal": true, "limit": 100], "1"],
            [
                "Email/get",
                [
                    "accountId": account, "properties": ["subject", "mailboxIds", "keywords"],
                    "#ids": ["resultOf": "1", "name": "Email/query", "path": "/ids"],
                ], "2",
            ],
        ])
        let list = answers[0]["list"] as? [[String: Any]] ?? []
        mailboxes = Dictionary(
            uniqueKeysWithValues: list.map { ($0["id"] as? String ?? "", $0["name"] as? String ?? "") })
        count = answers[1]["total"] as? Int ?? -1
        emails = answers[2]["list"] as? [[String: Any]] ?? []
        program.signal(SIGTERM)
        _ = await program.result()
    }

    private func email(_ subject: String) -> [String: Any]? {
        emails.first { $0["subject"] as? String == subject }
    }

    func mailboxes(ofSubject subject: String) -> Set<String>? {
        (email(subject)?["mailboxIds"] as? [String: Bool]).map { Set($0.keys.compactMap { mailboxes[$0] }) }
    }

    func isSeen(subject: String) -> Bool? {
        (email(subject)?["keywords"] as? [String: Bool]).map { $0["$seen"] == true }
    }
}

private struct JMAPOverHTTP {
    let base: URL
    let token: String

    func get(_ path: String) async throws -> [String: Any] {
        try await answer(URLRequest(url: base.appending(path: path)))
    }

    func call(_ calls: [[Any]]) async throws -> [[String: Any]] {
        var request = URLRequest(url: base.appending(path: "jmap/api"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: [
            "using": ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail"], "methodCalls": calls,
        ])
        let responses = try await answer(request)["methodResponses"] as? [[Any]] ?? []
        return responses.map { $0[1] as? [String: Any] ?? [:] }
    }

    private func answer(_ request: URLRequest) async throws -> [String: Any] {
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, _) = try await URLSession.shared.data(for: request)
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
