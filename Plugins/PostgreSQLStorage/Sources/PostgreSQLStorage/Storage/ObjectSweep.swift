import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Removes objects that no blob uses any more: those of replaced and removed blobs within seconds, and every ten minutes
/// what crashes left. Not from a list of the bucket: the rows of a restored backup know less than the bucket has.
final class ObjectSweep: Sendable {
    private static let interval = 600.0
    private static let gathering = 1.0
    private static let batch = 50

    private let objects: ObjectStore
    private let host: HostServices
    private let wakes: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ objects: ObjectStore, _ host: HostServices) {
        self.objects = objects
        self.host = host
        (wakes, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func start(_ store: OpenStore) {
        let (wakes, wakeUp, clock) = (wakes, wakeUp, host.clock)
        let sweeping = Task { [weak self, weak store] in
            for await _ in wakes {
                // Many blobs may be written one after the other.
                guard (try? await clock.sleep(for: Self.gathering)) != nil, let self, let store else {
                    return
                }
                await self.sweep(store)
            }
        }
        let timer = Task {
            repeat { wakeUp.yield() } while (try? await clock.sleep(for: Self.interval)) != nil
        }
        tasks.withLock { $0 = [sweeping, timer] }
    }

    func stop() async {
        wakeUp.finish()
        let tasks = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// There may be something to remove.
    func wake() { wakeUp.yield() }

    private func sweep(_ store: OpenStore) async {
        for server in store.servers {
            do throws(StorageError) {
                while try await remove(Self.batch, server) == Self.batch, !Task.isCancelled {}
            } catch {
                // What is left is found again by the next sweep.
                guard error != .cancelled, error != .closed else { return }
                host.log.warning("attachments that were removed are still in S3: \(public: "\(error)")")
            }
        }
    }

    /// Returns the number of objects that it removed.
    @discardableResult
    func remove(_ limit: Int, _ server: StoreServer) async throws(StorageError) -> Int {
        let doomed = try await server.write { connection throws(StorageError) in
            try connection.doomUnusedObjects(limit: limit)
        }
        for object in doomed {
            let name = objects.name(object.account, object.upload)
            try await objects.client.abortUploads(of: name)
            try await objects.client.remove(name)
            try await server.write { connection throws(StorageError) in try connection.forgetObject(object) }
        }
        return doomed.count
    }
}
