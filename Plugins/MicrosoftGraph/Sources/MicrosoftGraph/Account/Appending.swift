import FoundationEssentials
import MailKernelAPI
import WebCalls

extension GraphAccountSession {
    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await meaningful {
            guard mailbox.isUsable else { throw AccountError.notFound }
            let bytes = try await bytes(of: message)
            let draft = try await create(
                bytes, at: place.folder(mailbox.rawValue) + "/messages", purpose: "save mail")
            await finish(draft.id, keywords, receivedAt)
            noteAdded(draft.id, to: mailbox.rawValue)
            if let replacing, replacing.id.isUsable, replacing.id.rawValue != draft.id {
                await removeReplaced(replacing)
            }
            return AppendOutcome(
                address: RemoteAddress(feed: FeedID(mailbox.rawValue), id: RemoteMessageID(draft.id)))
        }
    }

    func bytes(of message: any ByteSource) async throws -> Data {
        guard message.size <= LargeMessage.limit else {
            throw AccountError.refused("Microsoft takes messages of up to 150 MB.")
        }
        var bytes = Data()
        bytes.reserveCapacity(message.size)
        for try await piece in message.pieces(of: 262_144) { bytes += piece }
        return bytes
    }

    /// What Microsoft cannot be told when a message is made. The message is there: failing now would add one more with
    /// each try.
    private func finish(_ id: String, _ keywords: Set<Keyword>, _ receivedAt: Date) async {
        let isDraft = keywords.contains(.draft)
        let wanted = keywords.subtracting([.draft])
        let marks = Marks.areCategories(wanted)
        var categories: [JSONValue] = []
        for keyword in marks.sorted() where Category.isKept(keyword) {
            categories.append(.string(self.categories[keyword] ?? Category.name(keyword)))
        }
        var patch = Marks.patch(add: wanted, remove: [], now: nil, names: [:])?.objectValue ?? [:]
        patch["isRead"] = .bool(wanted.contains(.seen))
        if !categories.isEmpty { patch["categories"] = .array(categories) }
        await change(id, .object(patch))
        guard !isDraft else { return }
        await change(
            id,
            [
                "singleValueExtendedProperties": [
                    ["id": .string(RawMessage.PropertyName.flags), "value": "1"],
                    [
                        "id": .string(RawMessage.PropertyName.delivered),
                        "value": JSONDate.write(receivedAt),
                    ],
                ]
            ])
    }

    private func change(_ id: String, _ patch: JSONValue) async {
        do throws(GraphFailure) {
            _ = try await wire.send("PATCH", place.message(id), json: patch, purpose: "save mail")
        } catch {
            log.warning("A message was saved at Microsoft, but not all that belongs to it.")
        }
    }

    /// The new copy is there: failing now would add one more with each try.
    private func removeReplaced(_ earlier: RemoteAddress) async {
        let id = earlier.id.rawValue
        do {
            // One that was moved or sent since is not the earlier copy any more.
            guard try await details(of: [id])[id]?.folder == earlier.feed.rawValue else { return }
            if await discard(id) { return }
        } catch {}
        log.warning("The earlier copy of a message could not be removed at Microsoft.")
    }

    /// Removes a message for good. False if it may still be there.
    func discard(_ id: String) async -> Bool {
        guard RemoteMessageID(id).isUsable else { return true }
        do throws(GraphFailure) {
            _ = try await wire.send(
                "POST", place.message(id) + "/permanentDelete", json: [:], purpose: "save mail")
            return true
        } catch {
            return error.isNotFound
        }
    }
}
