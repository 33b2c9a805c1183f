import FoundationEssentials
import MailKernelAPI
import WebCalls

extension GraphAccountSession {
    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        try await mutations.outcomes { mutation throws(AccountError) in
            try await meaningful { try await self.apply(mutation) }
        }
    }

    private func apply(_ mutation: RemoteMutation) async throws -> MutationOutcome {
        switch mutation {
        case .setKeywords(let messages, let add, let remove):
            return try await setKeywords(messages, add, remove.subtracting(add))
        case .add(let messages, let mailbox):
            guard mailbox.isUsable else { return .refused(.notFound) }
            return try await copy(messages, to: mailbox.rawValue)
        case .remove(let messages, let mailbox):
            guard let archive = try await folderID("archive"), archive != mailbox.rawValue else {
                return .refused(.unsupported("removing a message from its only mailbox"))
            }
            return try await move(messages, from: mailbox, to: RemoteMailboxID(archive))
        case .move(let messages, let from, let to):
            guard from.isUsable, to.isUsable else { return .refused(.notFound) }
            guard from != to else { return .done(newIDs: [:], mailbox: nil) }
            return try await move(messages, from: from, to: to)
        case .destroy(let messages): return try await destroy(messages)
        case .createMailbox(let name, let parent): return try await createFolder(name, parent)
        case .renameMailbox(let mailbox, let name, let parent):
            return try await renameFolder(mailbox, name, parent)
        case .deleteMailbox(let mailbox): return try await deleteFolder(mailbox)
        }
    }

    // MARK: Messages

    private func setKeywords(
        _ messages: [RemoteAddress], _ add: Set<Keyword>, _ remove: Set<Keyword>
    ) async throws -> MutationOutcome {
        guard Marks.areCategories(add).allSatisfy(Category.isKept) else {
            return .refused(.refused("Outlook does not allow this name for a category."))
        }
        let ids = ids(of: messages)
        var now: [String: RawMessage] = [:]
        if Marks.needsLook(add: add, remove: remove) { now = try await states(ids) }
        let requests: [Subrequest] = ids.compactMap { id in
            if Marks.needsLook(add: add, remove: remove), now[id] == nil { return nil }
            return Marks.patch(add: add, remove: remove, now: now[id], names: categories).map {
                Subrequest(method: "PATCH", path: place.message(id), body: $0)
            }
        }
        let replies = try await wire.batches(requests, purpose: "change mail")
        return try outcome(replies)
    }

    /// The worst of some replies. A message that is gone is no failure.
    private func outcome(
        _ replies: [Reply], newIDs: [RemoteAddress: RemoteAddress] = [:]
    ) throws -> MutationOutcome {
        var refusal: Refusal?
        for reply in replies {
            switch reply {
            case .json, .bytes: continue
            case .missing: throw GraphFailure.unreadable
            case .refused(let one) where one.isNotFound: continue
            case .refused(let one):
                // What may pass comes first: then all is tried again.
                if Self.mayPass(one) { throw GraphFailure.status(one) }
                refusal = one
            }
        }
        guard let refusal else { return .done(newIDs: newIDs, mailbox: nil) }
        return .refused(.refused(refusal.text))
    }

    static func mayPass(_ refusal: Refusal) -> Bool {
        refusal.status >= 500 || [401, 404, 408, 409, 412, 423, 424, 429].contains(refusal.status)
    }

    func ids(of messages: [RemoteAddress]) -> [String] {
        var seen: Set<String> = []
        return messages.map(\.id).filter(\.isUsable).map(\.rawValue).filter { seen.insert($0).inserted }
    }

    private func move(
        _ messages: [RemoteAddress], from: RemoteMailboxID, to: RemoteMailboxID
    ) async throws -> MutationOutcome {
        let parents = try await details(of: ids(of: messages))
        // After an interruption some may be there already.
        let moving = messages.filter { parents[$0.id.rawValue]?.folder == from.rawValue }
        let requests = moving.map { address in
            Subrequest(
                method: "POST", path: place.message(address.id.rawValue) + "/move",
                body: ["destinationId": .string(to.rawValue)])
        }
        let replies = try await wire.batches(requests, purpose: "change mail")
        guard !Self.lacksTarget(replies) else { return .refused(.notFound) }
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for address in messages where parents[address.id.rawValue]?.folder == to.rawValue {
            newIDs[address] = RemoteAddress(feed: FeedID(to.rawValue), id: address.id)
        }
        for (address, reply) in zip(moving, replies) {
            guard let id = reply.json?["id"]?.stringValue, RemoteMessageID(id).isUsable else { continue }
            newIDs[address] = RemoteAddress(feed: FeedID(to.rawValue), id: RemoteMessageID(id))
            noteAdded(id, to: to.rawValue)
        }
        return try outcome(replies, newIDs: newIDs)
    }

    /// The messages were there a moment ago: it is the folder that is missing.
    private static func lacksTarget(_ replies: [Reply]) -> Bool {
        !replies.isEmpty
            && replies.allSatisfy { if case .refused(let refusal) = $0 { refusal.isNotFound } else { false } }
    }

    struct Details: Sendable {
        let folder: String
        let messageID: String?
    }

    func details(of ids: [String]) async throws -> [String: Details] {
        let requests = ids.map {
            Subrequest(path: place.message($0) + "?$select=id,parentFolderId,internetMessageId")
        }
        var details: [String: Details] = [:]
        for (id, reply) in zip(ids, try await wire.batches(requests, purpose: "change mail")) {
            if case .refused(let refusal) = reply, refusal.isNotFound { continue }
            let json = try reply.success()
            details[id] = Details(
                folder: json["parentFolderId"]?.stringValue ?? "",
                messageID: json["internetMessageId"]?.stringValue)
        }
        return details
    }

    /// A copy for each message that the folder does not have yet: after an interruption some may be there.
    private func copy(_ messages: [RemoteAddress], to folder: String) async throws -> MutationOutcome {
        let details = try await details(of: ids(of: messages))
        let there = try await inFolder(folder, details.values.compactMap(\.messageID))
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        var copying: [RemoteAddress] = []
        for address in messages {
            guard let own = details[address.id.rawValue], own.folder != folder else { continue }
            if let id = own.messageID.flatMap({ there[$0] }) {
                newIDs[address] = RemoteAddress(feed: FeedID(folder), id: RemoteMessageID(id))
            } else {
                copying.append(address)
            }
        }
        let requests = copying.map { address in
            Subrequest(
                method: "POST", path: place.message(address.id.rawValue) + "/copy",
                body: ["destinationId": .string(folder)])
        }
        let replies = try await wire.batches(requests, purpose: "change mail")
        guard !Self.lacksTarget(replies) else { return .refused(.notFound) }
        for (address, reply) in zip(copying, replies) {
            guard let id = reply.json?["id"]?.stringValue, RemoteMessageID(id).isUsable else { continue }
            newIDs[address] = RemoteAddress(feed: FeedID(folder), id: RemoteMessageID(id))
            noteAdded(id, to: folder)
        }
        return try outcome(replies, newIDs: newIDs)
    }

    /// Ids of the messages of a folder by their Message-IDs.
    func inFolder(_ folder: String, _ messageIDs: [String]) async throws -> [String: String] {
        let requests = messageIDs.map { id in
            let filter = "internetMessageId%20eq%20" + Place.quoted(id)
            return Subrequest(
                path: "\(place.folder(folder))/messages?$filter=\(filter)&$select=id&$top=1")
        }
        var found: [String: String] = [:]
        for (messageID, reply) in zip(messageIDs, try await wire.batches(requests, purpose: "change mail")) {
            let first = try reply.success()["value"]?.arrayValue?.first?["id"]?.stringValue
            if let first, RemoteMessageID(first).isUsable { found[messageID] = first }
        }
        return found
    }

    /// Messages keep their ids when they move: a draft that was sent is not the copy in Sent.
    private func destroy(_ messages: [RemoteAddress]) async throws -> MutationOutcome {
        let details = try await details(of: ids(of: messages))
        let there = messages.filter { details[$0.id.rawValue]?.folder == $0.feed.rawValue }
        let requests = ids(of: there).map {
            Subrequest(method: "POST", path: place.message($0) + "/permanentDelete", body: [:])
        }
        return try outcome(try await wire.batches(requests, purpose: "change mail"))
    }
}
