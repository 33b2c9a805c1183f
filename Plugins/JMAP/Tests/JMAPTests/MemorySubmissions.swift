import FoundationEssentials
import MailKernelAPI

/// Sending at a `MemoryService`, and its vacation reply.
extension MemoryMailbox {
    mutating func setSubmissions(_ arguments: [String: JSONValue], _ ids: [String: String]) -> JSONValue {
        guard let updates = arguments["update"]?.objectValue, let id = updates.keys.first else {
            return submit(arguments, ids)
        }
        guard var submission = held[id]?.objectValue, submission["undoStatus"] == "pending" else {
            return ["notUpdated": .object([id: ["type": "cannotUnsend"]])]
        }
        submission["undoStatus"] = updates[id]?["undoStatus"]
        held[id] = .object(submission)
        let patch = arguments["onSuccessUpdateEmail"]?[id]?.objectValue ?? [:]
        _ = update(submission["emailId"]?.stringValue ?? "", patch)
        return ["updated": .object([id: nil])]
    }

    private mutating func submit(_ arguments: [String: JSONValue], _ ids: [String: String]) -> JSONValue {
        guard let submission = arguments["create"]?["s"], let named = submission["emailId"]?.stringValue,
            let email = named.hasPrefix("#") ? ids[String(named.dropFirst())] : named,
            let message = messages[email]
        else { return ["notCreated": ["s": ["type": "invalidProperties"]]] }
        let recipients = (submission["envelope"]?["rcptTo"]?.arrayValue ?? []).compactMap {
            $0["email"]?.stringValue
        }
        let unknown = recipients.filter { $0 != "ada@example.test" }
        guard unknown.isEmpty else {
            let refused = JSONValue.array(unknown.map { .string($0) })
            return [
                "notCreated": [
                    "s": [
                        "type": "invalidRecipients", "description": "No such user.",
                        "invalidRecipients": refused,
                    ]
                ]
            ]
        }
        submissions.append(submission)
        let id = next("s")
        let isHeld = submission["envelope"]?["mailFrom"]?["parameters"]?["HOLDFOR"] != nil
        if !isHeld { add(message.bytes, to: ["m-inbox"], receivedAt: message.receivedAt) }
        held[id] = [
            "id": .string(id), "emailId": .string(email), "undoStatus": isHeld ? "pending" : "final",
        ]
        _ = update(email, arguments["onSuccessUpdateEmail"]?["#s"]?.objectValue ?? [:])
        return ["created": ["s": ["id": .string(id), "undoStatus": isHeld ? "pending" : "final"]]]
    }

    mutating func setVacation(_ arguments: [String: JSONValue]) -> JSONValue {
        let patch = arguments["update"]?["singleton"]?.objectValue ?? [:]
        if patch["subject"] == "forbidden" {
            return [
                "notUpdated": [
                    "singleton": ["type": "invalidProperties", "description": "Choose another subject."]
                ]
            ]
        }
        vacation = .object((vacation?.objectValue ?? [:]).merging(patch) { $1 })
        return ["updated": ["singleton": nil]]
    }
}
