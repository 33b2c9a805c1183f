import FoundationEssentials
import MailKernelAPI
import Store

/// Keeps new messages of muted conversations out of the inbox.
package actor Muting {
    private let store: MailStore
    private let actions: Actions
    private let clock: any HostClock
    private let log: LogOutput
    private var listening: Task<Void, Never>?

    /// Older mail was checked when it arrived.
    private static let horizon = 30 * 86_400.0

    package init(store: MailStore, actions: Actions, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.actions = actions
        self.clock = clock
        self.log = log
    }

    package func start() {
        guard listening == nil else { return }
        let news = store.news.listen()
        listening = Task {
            for await states in news {
                for key in states.keys where key.type == .emailDelivery {
                    guard let accountID = key.accountID, store.looksAfter(accountID) else { continue }
                    await archiveNews(in: accountID)
                }
            }
        }
    }

    package func stop() async {
        listening?.cancel()
        await listening?.value
    }

    private func archiveNews(in accountID: Id<Account>) async {
        do {
            let filter = EmailFilter.and([
                .inRole(.inbox), .after(clock.now.addingTimeInterval(-Self.horizon)), .notKeyword(.muted),
                .someInThreadHaveKeyword(.muted),
            ])
            let query = EmailQuery(in: [accountID], filter: filter, collapseThreads: true, limit: 100)
            let threads = try await store.read.queryEmails(query).hits.map(\.threadID)
            guard !threads.isEmpty else { return }
            _ = try await actions.perform(
                .mute, on: .threads(threads, in: nil), in: accountID, client: MailAction.automatic)
        } catch {
            let reason = (error as? StorageError)?.sentence ?? "\(error)"
            log.write(.warning, "mailkernel", "A muted conversation could not be archived. \(reason)")
        }
    }
}
