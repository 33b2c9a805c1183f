import Care
import Kernel
import MailKernelAPI
import PluginHost
import Store

/// A store that is open beside the one in use, because mail is moved to it or it is deleted.
struct OtherStore {
    let name: String
    let side: StoreMove.Side
    let mail: MailStore

    /// - Throws: `CommandError` if there is no such plugin, or its store cannot be opened.
    init(
        _ id: String, beside store: OpenedStore, _ options: CommonOptions, _ signals: StopSignals
    ) async throws {
        let others = store.records.filter { $0.provider == nil }
        var found = others
        if let record = others.first(where: { $0.id == id && $0.manifest?.kind == .storage }) {
            found = try options.loadStorage(in: record.folder, id, unless: signals.check)
        }
        do {
            let storage = try StorageChoice.choose(from: found, id: id)
            (name, mail) = (storage.name, storage.store)
        } catch {
            throw CommandError("\(error)")
        }
        side = StoreMove.Side(id: id, name: name, mail: mail)
        do {
            _ = try await mail.open()
        } catch {
            throw CommandError("“\(name)”: \(error.sentence)")
        }
    }

    func close() async { await mail.close() }
}

extension StopSignals {
    /// Runs work that a signal cancels.
    func cancelling<Answer: Sendable>(
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let work = Task { try await body() }
        let watch = Task {
            await wait()
            work.cancel()
        }
        defer { watch.cancel() }
        return try await work.value
    }
}
