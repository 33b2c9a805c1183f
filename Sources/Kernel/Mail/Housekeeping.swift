import FoundationEssentials
import MailKernelAPI

/// Clears away what nobody needs any more: at the start, and every few hours.
actor Housekeeping {
    private static let interval = 21_600.0

    private let store: MailStore
    private let blobs: Blobs
    private let clock: any HostClock
    private let log: LogOutput
    private var loop: Task<Void, Never>?

    init(store: MailStore, blobs: Blobs, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.blobs = blobs
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
            for account in try await store.backend.accounts() {
                try await blobs.removeOldUploads(of: account.id)
            }
        } catch {
            log.write(.warning, "mailkernel", "Old uploads could not be removed. \(error.sentence)")
        }
    }
}
