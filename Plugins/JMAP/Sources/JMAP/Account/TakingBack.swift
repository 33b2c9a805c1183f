import FoundationEssentials
import MailKernelAPI

/// Messages that the service holds, taken back (RFC 8621, section 7: `undoStatus`).
extension JMAPAccountSession {
    /// Messages that are looked at, the newest first. A service holds few.
    private static let most = 200

    func cancelHeld(messageID: String) async throws(AccountError) -> Bool {
        try await meaningful {
            let resource = try await resource()
            guard let account = resource.submissionID, resource.maxDelayedSend > 0 else {
                throw AccountError.unsupported("taking back a message")
            }
            if let held = try await submissions(of: messageID, account, "pending").first {
                return try await cancel(held, account)
            }
            // An earlier try whose answer was lost.
            return try await !submissions(of: messageID, account, "canceled").isEmpty
        }
    }

    /// - Returns: false if the service has sent it by now.
    private func cancel(_ id: String, _ account: String) async throws -> Bool {
        let arguments: [String: JSONValue] = [
            "accountId": .string(account), "update": [id: ["undoStatus": "canceled"]],
            "onSuccessUpdateEmail": [id: try await draftPatch()],
        ]
        let answer = try await request(
            [Call("EmailSubmission/set", "s", arguments)], Capability.submission,
            purpose: "take back a message")
        let value = try answer.response("s").value
        if let refusal = value["notUpdated"]?[id] {
            let error = MethodError(refusal)
            if ["cannotUnsend", "notFound"].contains(error.type) { return false }
            throw error
        }
        guard value["updated"]?.objectValue?.keys.contains(id) == true else {
            throw AccountError.badAnswer("EmailSubmission/set does not report the change")
        }
        return true
    }

    /// Makes the copy in Sent a draft again.
    private func draftPatch() async throws -> JSONValue {
        let mailboxes = try await listing()
        var patches = [Patch.keyword(.draft, true)]
        if let sent = mailboxes.first(where: { $0.role == .sent })?.id,
            let drafts = mailboxes.first(where: { $0.role == .drafts })?.id
        {
            patches += [Patch.mailbox(sent, false), Patch.mailbox(drafts, true)]
        }
        return .object(Dictionary(patches) { first, _ in first })
    }

    /// The ids of submissions with this status whose message has this Message-ID.
    private func submissions(
        of messageID: String, _ account: String, _ status: String
    ) async throws -> [String] {
        let query = Call(
            "EmailSubmission/query", "q",
            [
                "accountId": .string(account), "filter": ["undoStatus": .string(status)],
                "sort": [["property": "sentAt", "isAscending": false]],
                "limit": .number(Double(min(Self.most, try await resource().objectsInGet))),
            ])
        let get = Call(
            "EmailSubmission/get", "g",
            [
                "accountId": .string(account),
                "#ids": Call.result(of: "q", "EmailSubmission/query", "/ids"),
                "properties": ["id", "emailId", "undoStatus"],
            ])
        let emails = Call(
            "Email/get", "e",
            [
                "accountId": .string(try await resource().accountID),
                "#ids": Call.result(of: "g", "EmailSubmission/get", "/list/*/emailId"),
                "properties": ["id", "messageId"],
            ])
        let answer = try await request(
            [query, get, emails], Capability.submission, purpose: "take back a message")
        _ = try answer.response("q")
        let list = try answer.response("g").value["list"]?.arrayValue ?? []
        let found = try answer.response("e").emails?.found ?? []
        let wanted = Set(found.filter { $0.messageId?.contains(messageID) == true }.map(\.id))
        return list.compactMap { submission in
            guard let id = submission["id"]?.stringValue, Id<EmailSubmission>(id).isValid,
                submission["undoStatus"]?.stringValue == status,
                submission["emailId"]?.stringValue.map(wanted.contains) == true
            else { return nil }
            return id
        }
    }
}
