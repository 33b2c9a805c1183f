import FoundationEssentials
import MailKernelAPI
import Store

/// Blobs being fetched from services on request: their progress, and cancellation.
///
/// Requests for the same bytes share a fetch. It ends when no request waits for it any more.
package actor BlobFetches {
    package struct Status: Sendable, Hashable {
        package let id: Id<Blob>
        package let accountID: Id<Account>
        package internal(set) var received = 0
        /// The size according to the message; the actual size may differ slightly. Nil if unknown.
        package let size: Int?
    }

    package static let dataType = DataType(rawValue: "BlobFetch")
    /// Progress is reported in steps of this many bytes.
    private static let step = 65_536

    private struct Fetch {
        var status: Status
        var told = 0
        let number: Int
        let task: Task<Void, any Error>
        var waiting = 0
    }

    private let news: StateNews
    private var all: [Id<Blob>: Fetch] = [:]
    private var revision = 0
    private var lastNumber = 0

    package init(news: StateNews) {
        self.news = news
    }

    package var statuses: [Status] { all.values.map(\.status).sorted { $0.id < $1.id } }
    package var state: State { news.state(revision) }

    /// Cancels a fetch; waiting requests get an error. Returns whether it existed.
    package func cancel(_ id: Id<Blob>) -> Bool {
        guard all[id] != nil else { return false }
        end(id)
        return true
    }

    /// Later requests start a new fetch.
    private func end(_ id: Id<Blob>) {
        all.removeValue(forKey: id)?.task.cancel()
        changed()
    }

    /// Runs `body`, or waits for the fetch of these bytes that is already running.
    ///
    /// - Parameter body: fetches, and reports the number of received bytes.
    func fetch(
        _ id: Id<Blob>, in accountID: Id<Account>, size: Int?,
        _ body: @escaping @Sendable (@escaping @Sendable (Int) async -> Void) async throws -> Void
    ) async throws {
        if all[id] == nil {
            lastNumber += 1
            let number = lastNumber
            let task = Task {
                defer { self.ended(id, number) }
                try await body { await self.came($0, for: id, number) }
            }
            all[id] = Fetch(
                status: Status(id: id, accountID: accountID, size: size), number: number, task: task)
            changed()
        }
        guard let fetch = all[id] else { return }
        all[id]?.waiting += 1
        let result = await withTaskCancellationHandler {
            await fetch.task.result
        } onCancel: {
            Task { await self.leave(id, fetch.number) }
        }
        if Task.isCancelled { throw CancellationError() }
        return try result.get()
    }

    private func leave(_ id: Id<Blob>, _ number: Int) {
        guard all[id]?.number == number else { return }
        all[id]?.waiting -= 1
        if all[id]?.waiting == 0 { end(id) }
    }

    private func came(_ count: Int, for id: Id<Blob>, _ number: Int) {
        guard var fetch = all[id], fetch.number == number else { return }
        fetch.status.received += count
        let isNews = fetch.status.received - fetch.told >= Self.step
        if isNews { fetch.told = fetch.status.received }
        all[id] = fetch
        if isNews { changed() }
    }

    private func ended(_ id: Id<Blob>, _ number: Int) {
        guard all[id]?.number == number else { return }
        all[id] = nil
        changed()
    }

    private func changed() {
        revision += 1
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }
}
