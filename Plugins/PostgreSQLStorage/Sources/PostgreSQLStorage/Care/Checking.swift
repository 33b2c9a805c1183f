import MailKernelAPI
import Synchronization

extension PostgreSQLStorage {
    func check() async throws(StorageError) -> [String] {
        let stop = StopFlag()
        let result: Result<[String], StorageError> = await withTaskCancellationHandler {
            do throws(StorageError) {
                return .success(try await findings(stop))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            stop.set()
        }
        return try await result.get() + checkObjects()
    }

    private func findings(_ stop: StopFlag) async throws(StorageError) -> [String] {
        try await patiently { lane, settings throws(StorageError) in
            if let sentence = try lane.pooler(settings) { return [sentence] }
            return try lane.read { connection throws(StorageError) in
                try ServerCheck(connection).findings() + StoreCheck(connection, stop).findings()
            }
        }
    }
}

extension Lane {
    /// What is wrong with a pooler; nothing else can be relied on then. Nil if all is well.
    fileprivate func pooler(_ settings: ServerSettings) throws(StorageError) -> String? {
        do throws(StorageError) {
            try plain { connection throws(StorageError) in
                try Opening(connection: connection, schema: settings.schema, connect: settings.connect)
                    .checkPooler()
            }
            return nil
        } catch .unsupported(let sentence) {
            return sentence
        }
    }
}

/// Tells work on a thread of its own that its task was canceled.
final class StopFlag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    func check() throws(StorageError) {
        if isSet.withLock({ $0 }) { throw .cancelled }
    }
}
