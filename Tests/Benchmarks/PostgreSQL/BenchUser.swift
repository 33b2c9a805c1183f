import FoundationEssentials
import MailKernelAPI

/// A user of a running program, which is asked as the page asks it.
final class BenchUser {
    private var connection: HTTPConnection
    private var events: HTTPConnection?

    init(_ process: BenchProcess) throws { connection = try HTTPConnection(startLink: process.link) }

    /// One call; throws if it did not do what it was asked for.
    @discardableResult func call(
        _ method: String, _ arguments: JSONValue, in account: String = "program"
    ) throws -> JSONValue {
        var members = arguments.objectValue ?? [:]
        members["accountId"] = .string(account)
        let text = String(decoding: try JSONEncoder().encode(JSONValue.object(members)), as: UTF8.self)
        let answer = try JSONDecoder().decode(
            JSONValue.self, from: try connection.call("[\"\(method)\",\(text),\"0\"]"))
        let result = answer["methodResponses"]?.arrayValue?.first?.arrayValue?.dropFirst().first ?? .null
        for problem in ["notCreated", "notUpdated", "notDestroyed"] {
            if let object = result[problem]?.objectValue, !object.isEmpty {
                throw BenchError(description: "\(method): \(object)")
            }
        }
        return result
    }

    /// The rest of an answer that was refused would be taken for the next one.
    func reconnect() throws { connection = try HTTPConnection(beside: connection) }

    /// What the page asks for when it opens: mailboxes, and 25 conversations with their emails.
    func open(_ account: String) throws { try connection.call(Self.opening(account)) }

    func star(_ email: Id<Email>, _ isOn: Bool, in account: String) throws {
        let patch: JSONValue = ["keywords/$flagged": isOn ? true : nil]
        try call("Email/set", ["update": .object([email.rawValue: patch])], in: account)
    }

    func isStarred(_ email: Id<Email>, in account: String) throws -> Bool {
        let asked: JSONValue = ["ids": [.string(email.rawValue)], "properties": ["keywords"]]
        let list = try call("Email/get", asked, in: account)["list"]?.arrayValue
        return list?.first?["keywords"]?["$flagged"] == true
    }

    /// Begins to listen to changes.
    func listen() throws {
        let listener = try HTTPConnection(beside: connection)
        try listener.listen()
        events = listener
    }

    /// Returns when the program says that emails have changed.
    func waitForEmails() throws { try events?.wait(for: "\"Email\"") }

    private static func opening(_ account: String) -> String {
        """
        ["Mailbox/get",{"accountId":"\(account)"},"0"],
        ["Email/query",{"accountId":"\(account)","filter":{"inMailbox":"inbox"},
        "sort":[{"property":"receivedAt","isAscending":false}],"collapseThreads":true,"limit":25,
        "calculateTotal":true},"1"],
        ["Email/get",{"accountId":"\(account)","#ids":{"resultOf":"1","name":"Email/query","path":"/ids"},
        "properties":["threadId"]},"2"],
        ["Thread/get",{"accountId":"\(account)",
        "#ids":{"resultOf":"2","name":"Email/get","path":"/list/*/threadId"}},"3"],
        ["Email/get",{"accountId":"\(account)",
        "#ids":{"resultOf":"3","name":"Thread/get","path":"/list/*/emailIds"},
        "properties":["threadId","mailboxIds","keywords","hasAttachment","from","to","subject","receivedAt",
        "size","preview"]},"4"]
        """
    }
}

// MARK: Accounts

extension BenchUser {
    /// Adds the account of a mail service, or signs in to one that another computer has added.
    ///
    /// - Returns: the account.
    func signIn(to service: BenchMailService, _ start: JSONValue) async throws -> String {
        let made = try call("SignIn/set", ["create": ["s": start]])
        let id = made["created"]?["s"]?["id"]?.stringValue ?? ""
        let forms: [JSONValue] = [
            [
                "address": .string(BenchMailService.address), "password": .string(BenchMailService.password),
            ],
            [
                "user": .string(BenchMailService.address), "imapHost": "localhost",
                "imapPort": .string("\(service.imaps)"), "imapSecurity": "tls", "smtpHost": "localhost",
                "smtpPort": .string("\(service.submissions)"), "smtpSecurity": "tls",
            ],
        ]
        for form in forms {
            guard try await state(of: id, in: ["form", "done"])["state"] == "form" else { break }
            try call("SignIn/set", ["update": .object([id: ["form": form]])])
        }
        let done = try await state(of: id, in: ["done"])
        let added = done["addedAccountIds"]?.arrayValue?.first?.stringValue
        guard let account = added ?? start["accountId"]?.stringValue else {
            throw BenchError(description: "No account was added: \(done)")
        }
        return account
    }

    private func state(of id: String, in wanted: [JSONValue]) async throws -> JSONValue {
        for _ in 0..<6_000 {
            let shown = try call("SignIn/get", ["ids": [.string(id)]])["list"]?.arrayValue?.first ?? .null
            if let state = shown["state"], wanted.contains(state) { return shown }
            if shown["state"] == "failed" { throw BenchError(description: "\(shown)") }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError(description: "The sign-in does not go on.")
    }

    /// Waits until the account is looked after “here” or “elsewhere”.
    func wait(for turn: String, of account: String) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            let list = try call("SyncStatus/get", ["ids": [.string(account)]])["list"]?.arrayValue
            if list?.first?["turn"]?.stringValue == turn { return }
            guard .now < end else {
                throw BenchError(description: "The account is not looked after \(turn): \(list ?? [])")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
