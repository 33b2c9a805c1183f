import FoundationEssentials
import MailKernelAPI

/// Finds messages that are gone, where no change tells of them.
extension GraphAccountSession {
    private static let mostAtOnce = 1_000
    private static let mostPages = 5_000

    /// A folder was read again from the beginning. Of what the kernel has, those messages are gone that neither the
    /// list of the folder names nor, asked for one by one, the service: while a list is read in pages, others can
    /// slip past.
    func clean(_ start: DeltaCursor, _ round: Round) async throws -> ChangeBatch {
        var place = start
        let ids = try await round.known.after(
            start.last.map { RemoteMessageID($0) }, limit: Self.mostAtOnce)
        var batch = ChangeBatch(cursor: start.cursor, hasMore: !ids.isEmpty)
        if let last = ids.last {
            let there = try await present(in: round.folder)
            let missing = ids.map(\.rawValue).filter { !there.contains($0) }
            batch.removed = try await gone(missing, from: round.folder).map { RemoteMessageID($0) }
            place.last = last.rawValue
        } else {
            present[round.folder] = nil
            place = start.at(start.link, .current)
        }
        batch.cursor = place.cursor
        return batch
    }

    private struct IDs: Decodable {
        struct Item: Decodable { let id: String }

        let value: [Item]
        let next: String?

        enum CodingKeys: String, CodingKey {
            case value
            case next = "@odata.nextLink"
        }
    }

    private func present(in folder: String) async throws -> Set<String> {
        if let present = present[folder] { return present }
        var ids: Set<String> = []
        var link = place.base + place.folder(folder) + "/messages?$select=id&$top=1000"
        for _ in 0..<Self.mostPages {
            let page = try GraphWire.decode(IDs.self, try await wire.get(try place.link(link)))
            ids.formUnion(page.value.map(\.id))
            guard let next = page.next else {
                present[folder] = ids
                return ids
            }
            guard next != link else { throw AccountError.badAnswer("the list of messages does not go on") }
            link = next
        }
        throw AccountError.badAnswer("the list of messages does not end")
    }

    /// Those of some messages that are not in the folder, one by one.
    private func gone(_ ids: [String], from folder: String) async throws -> [String] {
        let requests = ids.map { Subrequest(path: place.message($0) + "?$select=id,parentFolderId") }
        var gone: [String] = []
        for (id, reply) in zip(ids, try await wire.batches(requests, purpose: "sync mail")) {
            if case .refused(let refusal) = reply, refusal.isNotFound {
                gone.append(id)
            } else if let parent = try reply.success()["parentFolderId"]?.stringValue, parent != folder {
                gone.append(id)
            }
        }
        return gone
    }

    // MARK: Messages added here

    /// Remembers a message that was put into a folder from here.
    func noteAdded(_ id: String, to folder: String) {
        if added[folder, default: []].count < 500 { added[folder, default: []].insert(id) }
    }

    func forgetAdded(_ entries: Entries, in folder: String) {
        added[folder]?.subtract(entries.messages.map(\.id) + entries.removed)
    }

    /// Messages that were put there from here and another program removed before any sync: the service need not report
    /// those, but the kernel holds them.
    func lostAdditions(in folder: String) async throws -> [RemoteMessageID] {
        guard let open = added[folder], !open.isEmpty else { return [] }
        let lost = try await gone(open.sorted(), from: folder)
        added[folder]?.subtract(lost)
        return lost.map { RemoteMessageID($0) }
    }
}
