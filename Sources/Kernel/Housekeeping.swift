import FoundationEssentials
import Mail
import MailKernelAPI
import Rules
import Store
import Sync

/// Removes unused data: at the start, and every few hours.
actor Housekeeping {
    private static let interval = 21_600.0

    private let store: MailStore
    private let blobs: Blobs
    private let actions: Actions
    private let clock: any HostClock
    private let log: LogOutput
    private var loop: Task<Void, Never>?

    init(store: MailStore, blobs: Blobs, actions: Actions, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.blobs = blobs
        self.actions = actions
        self.clock = clock
        self.log = log
    }

    func start() {
        guard loop == nil else { return }
        loop = Task {
            while !Task.isCancelled {
                await tidy()
                guard (try? await clock.sleep(for: Self.interval)) != nil else { return }
            }
        }
    }

    func stop() async {
        loop?.cancel()
        await loop?.value
    }

    private func tidy() async {
        do {
            for account in try await store.read.accounts() where store.looksAfter(account.id) {
                await tidy("Old uploads could not be removed.") {
                    try await blobs.removeOldUploads(of: account.id)
                }
                await tidy("Notes on old attachments could not be removed.") {
                    try await AttachmentNotes(store: store, accountID: account.id).removeOld()
                }
                await tidy("Old actions could not be removed.") {
                    try await actions.removeOld(of: account.id)
                }
                await tidy("Notes on old arrivals could not be removed.") {
                    try await Arrivals(store: store, accountID: account.id).removeOld(at: clock.now)
                    try await RuleMemory(store: store).removeOld(of: account.id, at: clock.now)
                }
                await tidy("Old mail could not be removed from this device.") {
                    try await WindowPurge(account: account, store: store, clock: clock).run()
                }
            }
        } catch {
            log.write(.warning, "mailkernel", "Cleanup failed. \(error.sentence)")
        }
    }

    /// A failed task is repeated the next time, and does not affect the others.
    private func tidy(_ problem: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            return
        } catch {
            let reason = (error as? StorageError)?.sentence ?? "\(error)"
            log.write(.warning, "mailkernel", "\(problem) \(reason)")
        }
    }
}
