import Care
import Kernel
import MailKernelAPI
import Store

/// `mailkernel storage delete`: deletes a store that is not in use.
struct StorageDeleteCommand {
    private let old: String
    private let options: CommonOptions
    private let vault: VaultOptions

    init(_ arguments: inout Arguments) throws {
        guard let old = try arguments.value("--old") else {
            throw UsageError("Name the storage plugin whose store to delete with --old.")
        }
        self.old = old
        options = try CommonOptions(&arguments)
        vault = try VaultOptions(&arguments)
        try arguments.finish()
        // Otherwise the store in use could be called the old one.
        if options.storageID != nil { throw UsageError("“storage delete” does not take --storage.") }
    }

    func run() async throws {
        let signals = StopSignals()
        guard let store = try await OpenedStore(options, signals, vault: vault) else { return }
        do {
            guard store.storageID != old else {
                throw CommandError("“\(store.name)” keeps your mail, so it cannot be deleted.")
            }
            let other = try await OtherStore(old, beside: store, options, signals)
            do {
                try await delete(other, beside: store)
            } catch {
                await other.close()
                throw (error as? StorageError).map { CommandError($0.sentence) } ?? error
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func delete(_ other: OtherStore, beside store: OpenedStore) async throws {
        let isMailThere = try await !store.mail.read.accounts().isEmpty
        let isMailHere = try await !other.mail.read.accounts().isEmpty
        guard isMailThere || !isMailHere else {
            throw CommandError(
                "“\(store.name)” holds no mail, so “\(other.name)” may be the only place of yours. It was not deleted."
            )
        }
        do {
            try await other.side.hold()
        } catch let problem as MoveProblem {
            throw CommandError("\(problem)")
        }
        try await other.mail.wipe()
        print("The mail in “\(other.name)” was deleted.")
    }
}
