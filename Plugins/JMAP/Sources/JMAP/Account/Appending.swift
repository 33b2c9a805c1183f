import FoundationEssentials
import MailKernelAPI
import WebCalls

extension JMAPAccountSession {
    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await meaningful {
            guard mailbox.isValid else { throw AccountError.notFound }
            let resource = try await resource()
            let blob = try await wire.upload(
                message, type: "message/rfc822", at: resource, purpose: "save mail")
            let wanted = keywords.filter(Patch.isValid)
            let answer = try await request(
                [
                    Call(
                        "Email/import", "i",
                        [
                            "accountId": .string(resource.accountID),
                            "emails": ["m": Self.imported(blob, mailbox, wanted, receivedAt)],
                        ])
                ], purpose: "save mail")
            let id = try await self.added(try answer.response("i").value, to: mailbox, wanted)
            noteAdded(id)
            if let replacing, replacing.feed == Self.feed, replacing.id.isValid, replacing.id.rawValue != id {
                await removeReplaced(replacing.id.rawValue)
            }
            return AppendOutcome(address: RemoteAddress(feed: Self.feed, id: RemoteMessageID(id)))
        }
    }

    /// The new copy is there: failing now would add one more with each try.
    private func removeReplaced(_ id: String) async {
        let errors = try? await set("Email", destroy: [id])
        if errors?.values.allSatisfy({ $0.type == "notFound" }) != true {
            log.warning("The earlier copy of a message could not be removed at the service.")
        }
    }

    static func imported(
        _ blob: String, _ mailbox: RemoteMailboxID, _ keywords: Set<Keyword>, _ receivedAt: Date
    ) -> JSONValue {
        let flags = Dictionary(keywords.map { ($0.rawValue, JSONValue.bool(true)) }) { first, _ in first }
        return [
            "blobId": .string(blob), "mailboxIds": .object([mailbox.rawValue: true]),
            "keywords": .object(flags), "receivedAt": JSONDate.write(receivedAt),
        ]
    }

    /// The id of the message that was added, or that the service had already.
    private func added(
        _ value: JSONValue, to mailbox: RemoteMailboxID, _ keywords: Set<Keyword>
    ) async throws -> String {
        if let id = value["created"]?["m"]?["id"]?.stringValue {
            guard RemoteMessageID(id).isValid else { throw AccountError.badAnswer("an id is invalid") }
            return id
        }
        guard let refused = value["notCreated"]?["m"] else {
            throw AccountError.badAnswer("Email/import has no result")
        }
        let error = MethodError(refused)
        if error.type == "alreadyExists", let id = error.details["existingId"]?.stringValue,
            RemoteMessageID(id).isValid
        {
            let patches = [Patch.mailbox(mailbox, true)] + keywords.map { Patch.keyword($0, true) }
            let patch = JSONValue.object(Dictionary(patches) { first, _ in first })
            if let error = try await set("Email", update: [id: patch]).values.first { throw error }
            return id
        }
        // Services do not say which of the properties is wrong in one way.
        if !error.isPassing, try await listing().allSatisfy({ $0.id != mailbox }) {
            throw AccountError.notFound
        }
        throw error
    }
}
