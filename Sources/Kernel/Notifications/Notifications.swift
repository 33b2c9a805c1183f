import Accounts
import Care
import FoundationEssentials
import Mail
import MailKernelAPI
import Rules
import Store

/// Announces new mail outside the page, while no page is visible.
package actor Notifications {
    /// More at once become one.
    static let mostAtOnce = 3
    /// Messages within this many seconds are combined.
    static let burst = 30.0
    /// Mail may have waited so long for the program's start and still be news.
    private static let grace = 600.0

    struct Entry {
        var accountID: Id<Account>
        /// Newest first; empty for waiting messages.
        var emailIDs: [Id<Email>]
        var postedAt: Date
        /// It says nothing of what the app lock keeps.
        var isClosed = false
        /// Rules asked for it.
        var isOfRules = false
        /// Messages that rules marked as read or dropped: they are announced all the same.
        var quiet: Set<Id<Email>> = []
        /// How many sinks could not show it.
        var failures = 0
    }

    private let sinks: [ContainedSink]
    /// One for each sink.
    let queues: [SinkQueue]
    let store: MailStore
    private let actions: Actions
    let presence: Presence
    let preferences: Preferences
    let appLock: AppLock
    private let program: ProgramAccess
    let clock: any HostClock
    let log: LogOutput
    private let shown: ShownNotices
    let mail: NewMail
    var entries: [Id<MailNotification>: Entry] = [:]
    /// Since when mail of each account is news.
    var since: [Id<Account>: Date] = [:]
    /// Unread mail that was there before the start.
    var known: Set<Id<Email>> = []
    /// Messages that need no announcement any more: those, and what was announced since, here or on the page.
    var told: Set<Id<Email>> = []
    /// Those of them that were announced here as new mail.
    var announced: Set<Id<Email>> = []
    /// Returned reminders that need no announcement any more.
    var toldReminders: Set<String> = []
    /// What became of the notifications that rules asked for, by their messages.
    var fates: [Id<Email>: RuleNoticeFate] = [:]
    /// Whether the store failed in between: they are looked at again with the next change of anything.
    var mustLookAgain = false
    private var badge: Int?
    private var tasks: [Task<Void, Never>] = []

    init(
        sinks: [ContainedSink], store: MailStore, actions: Actions, presence: Presence,
        preferences: Preferences, appLock: AppLock, program: ProgramAccess, clock: any HostClock,
        log: LogOutput
    ) {
        self.sinks = sinks
        queues = sinks.map { SinkQueue($0, appLock: appLock, clock: clock, log: log) }
        self.store = store
        self.actions = actions
        self.presence = presence
        self.preferences = preferences
        self.appLock = appLock
        self.program = program
        self.clock = clock
        self.log = log
        shown = ShownNotices(store: store)
        mail = NewMail(store: store)
    }

    /// The number of new messages since the start, whether or not they were announced.
    var hasTold: Int { told.count - known.count }

    /// Why notifications cannot be shown, for the user; nil if they can.
    package var problem: String? {
        get async {
            guard !sinks.isEmpty else { return "No plugin for notifications is loaded." }
            var isDenied = false
            var isSilent = false
            for sink in sinks {
                switch await sink.shownPermission() {
                case .granted, .undecided: return nil
                case .denied: isDenied = true
                case .unavailable: continue
                case nil: isSilent = true
                }
            }
            if isDenied { return "Your desktop does not allow mailkernel to show notifications." }
            return isSilent
                ? "The plugin for notifications is not responding."
                : "This desktop has no notification service."
        }
    }

    func start() async throws(StorageError) {
        guard tasks.isEmpty else { return }
        let news = store.news.listen()
        try await noteKnownMail()
        told = known
        // The page asks what is new all the same.
        guard !sinks.isEmpty else { return }
        await noteReminders()
        let left = try await shown.left()
        tasks.append(
            Task {
                await takeAway(left)
                await refresh()
                await tellOfRules()
                for await changed in news { await follow(changed) }
            })
        if store.sharing != nil { tasks.append(Task { await followOthers() }) }
        for sink in sinks {
            tasks.append(Task { for await response in sink.actions() { await respond(to: response) } })
        }
    }

    /// Without the program nothing can be done with a notification: none stays.
    func stop() async {
        guard !tasks.isEmpty else { return }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
        let ids = Array(entries.keys)
        entries = [:]
        await withTaskGroup { group in
            for queue in queues { group.addTask { await queue.stop(withdrawing: ids) } }
        }
        await keepShown()
    }

    private func noteKnownMail() async throws(StorageError) {
        let first = clock.now - Self.grace
        for account in try await store.read.accounts() {
            since[account.id] = first
            do throws(StorageError) {
                // What still waits for its rules has not been announced.
                let undecided = try await Arrival.waiting(in: account.id, store)
                known.formUnion(
                    try await mail.unread(in: account.id, since: first).filter { !undecided.contains($0) })
            } catch {
                guard error.isOfServer else { throw error }
            }
        }
    }

    private func follow(_ changed: [StateNews.Key: State]) async {
        let ofRules: Set<DataType> = [RuleNotice.dataType, Presence.dataType]
        if mustLookAgain || changed.keys.contains(where: { ofRules.contains($0.type) }) {
            await tellOfRules()
        }
        let delivered = Set(changed.keys.filter { $0.type == .emailDelivery }.compactMap(\.accountID))
        for id in delivered.sorted(by: { $0.rawValue < $1.rawValue }) { await look(at: id) }
        if changed.keys.contains(where: { $0.type == Notices.dataType }) { await tellOfWaiting() }
        if changed.keys.contains(where: { $0.type == Reminder.dataType }) { await tellOfReminders() }
        let own: Set<DataType> = [.email, .account, AppLock.dataType, Preferences.dataType]
        if changed.keys.contains(where: { own.contains($0.type) }) { await refresh() }
    }

    func mayNotify(_ accountID: Id<Account>) async throws(StorageError) -> Bool {
        // Where several computers share the store, one of them is enough.
        if !store.looksAfter(accountID), try await preferences.value(.notifyEverywhere).boolValue != true {
            return false
        }
        return try await isLoud(accountID)
    }

    /// Whether the user wants to hear of the account's mail.
    func isLoud(_ accountID: Id<Account>) async throws(StorageError) -> Bool {
        try await preferences.value(.notifications).objectValue?[accountID.rawValue] != false
    }

    // MARK: Posting

    /// - Parameter tried: called for each sink that has tried to show it, with whether it is shown.
    /// - Throws: if it is not posted.
    func post(
        _ notification: MailNotification, _ entry: Entry, tried: (@Sendable (Bool) async -> Void)? = nil
    ) async throws(StorageError) {
        // Recorded first: withdrawing a notification that was never shown is harmless.
        let before = entries.updateValue(entry, forKey: notification.id)
        do throws(StorageError) {
            try await shown.keep(Set(entries.keys).union(leaving))
        } catch {
            entries[notification.id] = before
            throw error
        }
        for queue in queues {
            await queue.post(
                SinkQueue.Post(notification: notification, isClosed: entry.isClosed, tried: tried))
        }
    }

    /// A message whose undo delay is paused while the page is closed waits for the user, who should know.
    private func tellOfWaiting() async {
        do {
            let notices = try await Notices(store: store).all().filter { Notices.isOfWaiting($0.id) }
            await takeAway(
                entries.filter { id, entry in
                    entry.emailIDs.isEmpty && !notices.contains { $0.id == id.rawValue }
                }.map(\.key))
            for (id, notice) in notices where entries[Id(id)] == nil {
                guard try await mayNotify(notice.accountID) else { continue }
                let entry = Entry(
                    accountID: notice.accountID, emailIDs: [], postedAt: clock.now, isClosed: true)
                try await post(NoticeWording.waiting(notice, Id(id)), entry)
            }
        } catch {
            log.write(.info, "mailkernel", "Waiting messages could not be announced. \(error.logged)")
        }
    }

    // MARK: What is no news any more

    /// Withdraws notifications of messages that were read, moved or deleted, here or elsewhere, or that may
    /// no longer be shown.
    private func refresh() async {
        do throws(StorageError) {
            let accounts = Set(try await store.read.accounts().map(\.id))
            let isClosed = await appLock.isOn
            var (gone, tooOpen): ([Id<MailNotification>], [Id<MailNotification>]) = ([], [])
            for (id, entry) in entries {
                let isOwn = accounts.contains(entry.accountID)
                let isWanted = isOwn ? try await isWanted(entry) : false
                if !isWanted {
                    gone.append(id)
                } else if isClosed, !entry.isClosed {
                    tooOpen.append(id)
                }
            }
            await endNotices(of: gone)
            await takeAway(gone + tooOpen)
            try await showBadge(accounts)
            // What rules notify of and was not shown yet is shown without its content.
            if takeBackNotices() { for id in accounts { await offerNotices(in: id) } }
        } catch {
            log.write(.info, "mailkernel", "Notifications could not be updated. \(error.sentence)")
        }
    }

    /// Whether a notification is still about something that the user wants to hear of.
    private func isWanted(_ entry: Entry) async throws(StorageError) -> Bool {
        guard try await mayNotify(entry.accountID) else { return false }
        if entry.isOfRules { return try await isNews(entry) }
        guard !entry.emailIDs.isEmpty else { return true }
        return try await mail.areNews(entry.emailIDs, in: entry.accountID)
    }

    func takeAway(_ ids: [Id<MailNotification>]) async {
        guard !ids.isEmpty else { return }
        for id in ids { entries[id] = nil }
        for queue in queues { await queue.withdraw(ids) }
        await keepShown()
    }

    /// The notifications that sinks have yet to withdraw.
    private var leaving: Set<Id<MailNotification>> {
        get async {
            var all: Set<Id<MailNotification>> = []
            for queue in queues { all.formUnion(await queue.leaving) }
            return all
        }
    }

    private func keepShown() async {
        do {
            try await shown.keep(Set(entries.keys).union(await leaving))
        } catch {
            log.write(
                .info, "mailkernel", "The record of notifications could not be saved. \(error.sentence)")
        }
    }

    private func showBadge(_ accounts: Set<Id<Account>>) async throws(StorageError) {
        var unread = 0
        for id in accounts {
            unread += try await store.read.mailboxes(nil, in: id)
                .filter { $0.mailbox.role == .inbox }.reduce(0) { $0 + $1.counts.unreadEmails }
        }
        guard unread != badge else { return }
        badge = unread
        for queue in queues { await queue.setBadge(unread) }
    }

    // MARK: What the user does with them

    private func respond(to response: NotificationResponse) async {
        guard let entry = entries[response.notificationID] else { return }
        do {
            if response.actionID == NoticeWording.archive.id {
                try await archive(entry)
            } else {
                let stored = try await store.read.emails(entry.emailIDs, in: entry.accountID)
                let thread = stored.count == 1 ? stored.first?.threadID : nil
                program.openPage?(thread.map { (entry.accountID, $0) })
            }
            await takeAway([response.notificationID])
        } catch {
            let reason = (error as? StorageError)?.sentence ?? "\(error)"
            log.write(
                .warning, "mailkernel", "An action of a notification failed. \(reason)")
        }
    }

    private func archive(_ entry: Entry) async throws {
        // Another person may be at the computer.
        guard await !appLock.isOn else { return }
        _ = try await actions.perform(
            .archive, on: .emails(entry.emailIDs), in: entry.accountID, client: "notification")
    }
}
