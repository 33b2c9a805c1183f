import FoundationEssentials
import MailKernelAPI

/// Asks at intervals what is new: Microsoft reports changes only to servers that it can reach from the internet.
extension GraphAccountSession {
    /// Seconds between two questions: some 200 of the 10,000 requests that a program may send in ten minutes.
    private static let pause = 30.0
    private static let mostNews = 25

    nonisolated func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        AsyncThrowingStream { continuation in
            let id = UUID()
            let task = Task {
                do throws(AccountError) {
                    try await self.meaningful { try await self.poll { continuation.yield($0) } }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
                await self.forget(id)
            }
            Task { await self.note(task, id) }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What shows that something changed, in one request.
    private struct State: Sendable {
        /// What a folder holds: a message that came or went changes it.
        var folders: [String: [JSONValue]] = [:]
        /// The messages that were changed last, with the time and the folder.
        var news: [String: (changed: String, folder: String)] = [:]
    }

    private func poll(_ report: @escaping @Sendable (WatchEvent) -> Void) async throws {
        var last = try await state()
        report(.listening)
        while true {
            try await wire.clock.sleep(for: Self.pause)
            let now = try await state()
            var changed: Set<String> = []
            if Set(now.folders.keys) != Set(last.folders.keys)
                || now.folders.contains(where: { $0.value.first != last.folders[$0.key]?.first })
            {
                report(.mailboxesChanged)
            }
            for (id, folder) in now.folders where last.folders[id] != folder { changed.insert(id) }
            for (id, message) in now.news where last.news[id]?.changed != message.changed {
                changed.insert(message.folder)
                // A message that moved left another folder.
                if let before = last.news[id]?.folder { changed.insert(before) }
            }
            for id in changed.sorted() where FeedID(id).isUsable { report(.changed(FeedID(id))) }
            last = now
        }
    }

    private func state() async throws -> State {
        let folders = try await listing().map(\.id.rawValue)
        let query = "$select=id,lastModifiedDateTime,parentFolderId&$orderby=lastModifiedDateTime%20desc"
        let fields = "?$select=id,displayName,parentFolderId,totalItemCount,unreadItemCount"
        // The folders where mail arrives and is answered; the others change with the messages in them.
        let wanted = folders.filter { tree.known.values.contains($0) }
        let requests =
            [Subrequest(path: "\(place.mailbox)/messages?\(query)&$top=\(Self.mostNews)")]
            + wanted.prefix(Subrequest.most - 1).map { Subrequest(path: place.folder($0) + fields) }
        let replies = try await wire.batch(requests, purpose: "wait for mail")
        var state = State()
        for message in try replies.first?.success()["value"]?.arrayValue ?? [] {
            guard let id = message["id"]?.stringValue,
                let changed = message["lastModifiedDateTime"]?.stringValue,
                let folder = message["parentFolderId"]?.stringValue
            else { continue }
            state.news[id] = (changed, folder)
        }
        for folder in folders { state.folders[folder] = counts(folder) }
        for (id, reply) in zip(wanted, replies.dropFirst()) {
            if case .refused(let refusal) = reply, refusal.isNotFound { continue }
            let folder = try reply.success()
            state.folders[id, default: []] += [
                folder["totalItemCount"] ?? .null, folder["unreadItemCount"] ?? .null,
            ]
        }
        return state
    }

    /// The name and place of a folder, then how much is in it.
    private func counts(_ id: String) -> [JSONValue] {
        let folder = tree.folders[id]
        return [
            .string("\(folder?.displayName ?? "")\n\(folder?.parentFolderId ?? "")"),
            .number(Double(folder?.totalItemCount ?? 0)),
        ]
    }
}
