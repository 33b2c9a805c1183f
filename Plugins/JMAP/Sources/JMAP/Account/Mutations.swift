import FoundationEssentials
import MailKernelAPI
import WebCalls

extension JMAPAccountSession {
    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        try await mutations.outcomes { mutation throws(AccountError) in
            try await meaningful { try await self.apply(mutation) }
        }
    }

    private func apply(_ mutation: RemoteMutation) async throws -> MutationOutcome {
        switch mutation {
        case .setKeywords(let messages, let add, let remove):
            guard add.allSatisfy(Patch.isValid) else {
                return .refused(.refused("The service does not allow this keyword."))
            }
            let kept = remove.subtracting(add).filter(Patch.isValid)
            let patches = add.map { Patch.keyword($0, true) } + kept.map { Patch.keyword($0, false) }
            return try await patch(messages, patches)
        case .add(let messages, let mailbox):
            guard mailbox.isValid else { return .refused(.notFound) }
            return try await patch(messages, [Patch.mailbox(mailbox, true)])
        case .remove(let messages, let mailbox): return try await remove(messages, from: mailbox)
        case .move(let messages, let from, let to):
            guard from.isValid, to.isValid else { return .refused(.notFound) }
            guard from != to else { return .done(newIDs: [:], mailbox: nil) }
            return try await patch(messages, [Patch.mailbox(from, false), Patch.mailbox(to, true)])
        case .destroy(let messages): return outcome(try await set("Email", destroy: ids(messages)))
        case .createMailbox(let name, let parent): return try await createMailbox(name, parent)
        case .renameMailbox(let mailbox, let name, let parent):
            let update: JSONValue = [
                "name": .string(name), "parentId": parent.map { .string($0.rawValue) } ?? .null,
            ]
            return outcome(try await set("Mailbox", update: [mailbox.rawValue: update]), mailbox)
        case .deleteMailbox(let mailbox): return try await deleteMailbox(mailbox)
        }
    }

    private func ids(_ messages: [RemoteAddress]) -> [String] {
        messages.filter { $0.feed == Self.feed && $0.id.isValid }.map(\.id.rawValue)
    }

    private func patch(
        _ messages: [RemoteAddress], _ patches: [(String, JSONValue)]
    ) async throws -> MutationOutcome {
        guard !patches.isEmpty else { return .done(newIDs: [:], mailbox: nil) }
        let patch = JSONValue.object(Dictionary(patches) { first, _ in first })
        let updates = Dictionary(ids(messages).map { ($0, patch) }) { first, _ in first }
        return outcome(try await set("Email", update: updates))
    }

    /// A message that is gone is no failure, unless it is a mailbox that should have been changed.
    private func outcome(
        _ errors: [String: MethodError], _ mailbox: RemoteMailboxID? = nil
    ) -> MutationOutcome {
        let real = errors.filter { $0.value.type != "notFound" || $0.key == mailbox?.rawValue }
        guard let first = real.min(by: { $0.key < $1.key })?.value else {
            return .done(newIDs: [:], mailbox: mailbox)
        }
        let meaning = first.meaning(host: serverName)
        return first.isPassing ? .failed(meaning) : .refused(meaning)
    }

    /// A message that is in no other mailbox goes to the archive.
    private func remove(
        _ messages: [RemoteAddress], from mailbox: RemoteMailboxID
    ) async throws -> MutationOutcome {
        guard mailbox.isValid else { return .refused(.notFound) }
        let places = try await mailboxes(of: ids(messages)).filter { $0.value.contains(mailbox) }
        var archive: RemoteMailboxID?
        if places.values.contains([mailbox]) {
            archive = try await listing().first { $0.role == .archive }?.id
            guard archive != nil, archive != mailbox else {
                return .refused(.unsupported("removing a message from its only mailbox"))
            }
        }
        let updates = places.mapValues { others in
            var patches = [Patch.mailbox(mailbox, false)]
            if others.count == 1, let archive { patches.append(Patch.mailbox(archive, true)) }
            return JSONValue.object(Dictionary(patches) { first, _ in first })
        }
        return outcome(try await set("Email", update: updates))
    }

    private func deleteMailbox(_ mailbox: RemoteMailboxID) async throws -> MutationOutcome {
        let nothing = MutationOutcome.done(newIDs: [:], mailbox: nil)
        guard mailbox.isValid else { return nothing }
        do {
            let more: [String: JSONValue] = ["onDestroyRemoveEmails": true]
            return outcome(try await set("Mailbox", destroy: [mailbox.rawValue], more: more))
        } catch WireFailure.status(let response, let host) where response.status == 500 {
            // Cyrus answers so about a mailbox that was deleted before.
            if try await listing().allSatisfy({ $0.id != mailbox }) { return nothing }
            throw WireFailure.status(response, host: host)
        }
    }

    private func createMailbox(_ name: String, _ parent: RemoteMailboxID?) async throws -> MutationOutcome {
        func existing(in mailboxes: [RemoteMailbox]) -> RemoteMailboxID? {
            mailboxes.first { $0.name == name && $0.parentID == parent }?.id
        }
        let mailboxes = try await listing()
        // After an interruption it may be there.
        if let id = existing(in: mailboxes) { return .done(newIDs: [:], mailbox: id) }
        // Cyrus would accept the id of a mailbox that was deleted.
        guard parent == nil || mailboxes.contains(where: { $0.id == parent }) else {
            return .refused(.notFound)
        }
        let account = JSONValue.string(try await resource().accountID)
        let mailbox: JSONValue = [
            "name": .string(name), "parentId": parent.map { .string($0.rawValue) } ?? .null,
        ]
        let answer = try await request(
            [Call("Mailbox/set", "s", ["accountId": account, "create": ["m": mailbox]])],
            purpose: "change mail")
        let value = try answer.response("s").value
        if let id = value["created"]?["m"]?["id"]?.stringValue, RemoteMailboxID(id).isValid {
            return .done(newIDs: [:], mailbox: RemoteMailboxID(id))
        }
        guard let refused = value["notCreated"]?["m"] else {
            throw AccountError.badAnswer("Mailbox/set has no result")
        }
        if let id = existing(in: try await listing()) { return .done(newIDs: [:], mailbox: id) }
        let error = MethodError(refused)
        let meaning = error.meaning(host: serverName)
        return error.isPassing ? .failed(meaning) : .refused(meaning)
    }
}
