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
    }

    private let sinks: [ContainedSink]
    /// One for each sink.
    private let queues: [SinkQueue]
    let store: MailStore
    private let actions: Actions
    let presence: Presence
    private let preferences: Preferences
    let appLock: AppLock
    private let program: ProgramAccess
    let clock: any HostClock
    let log: LogOutput
    private let shown: ShownNotices
    let mail: NewMail
    private(set) var entries: [Id<MailNotification>: Entry] = [:]
    /// Since when mail of each account is news.
    private var since: [Id<Account>: Date] = [:]
    /// Announced messages, here or on the page, and those that existed before.
    var told: Set<Id<Email>> = []
    /// Returned reminders that need no announcement any more.
    var toldReminders: Set<String> = []
    /// Messages about which rules notify, until that is done.
    var handedOver: Set<Id<Email>> = []
    private var before = 0
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

    /// The number of new messages since the start, whether or not they were announced.
    var hasTold: Int { told.count - before }

    func start() async throws(StorageError) {
        guard !sinks.isEmpty, tasks.isEmpty else { return }
        let now = clock.now
        let news = store.news.listen()
        for account in try await store.read.accounts() {
            since[account.id] = now - Self.grace
            do throws(StorageError) {
                told.formUnion(try await mail.unread(in: account.id, since: now - Self.grace))
            } catch {
                guard error.isOfServer else { throw error }
            }
        }
        before = told.count
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

    private func follow(_ changed: [StateNews.Key: State]) async {
        // Before new mail, which is not to be announced a second time.
        let ofRules: Set<DataType> = [RuleNotice.dataType, Presence.dataType]
        if changed.keys.contains(where: { ofRules.contains($0.type) }) { await tellOfRules() }
        let delivered = Set(changed.keys.filter { $0.type == .emailDelivery }.compactMap(\.accountID))
        for id in delivered.sorted(by: { $0.rawValue < $1.rawValue }) { await look(at: id) }
        if changed.keys.contains(where: { $0.type == Notices.dataType }) { await tellOfWaiting() }
        if changed.keys.contains(where: { $0.type == Reminder.dataType }) { await tellOfReminders() }
        let own: Set<DataType> = [.email, .account, AppLock.dataType, Preferences.dataType]
        if changed.keys.contains(where: { own.contains($0.type) }) { await refresh() }
    }

    // MARK: New mail

    /// Mail that another kernel fetched comes without news of a delivery.
    private func followOthers() async {
        for await changed in store.newsOfOthers.listen() {
            for key in changed.keys where key.type == .email {
                if let id = key.accountID { await look(at: id) }
            }
        }
    }

    private func look(at accountID: Id<Account>) async {
        do {
            // An account that was just added is filled, which is no news.
            // A clock that was set back must not make all mail old.
            let began = min(since[accountID] ?? clock.now, clock.now)
            since[accountID] = began
            let new = try await mail.unread(in: accountID, since: began).filter { told.insert($0).inserted }
            // A visible page announces them itself.
            guard !new.isEmpty, await !presence.isAnyVisible, try await mayNotify(accountID) else { return }
            let news = try await mail.withoutOwn(new, in: accountID)
            if !news.isEmpty { try await tell(news, of: accountID) }
        } catch {
            log.write(.info, "mailkernel", "New mail could not be announced. \(error.sentence)")
        }
    }

    func mayNotify(_ accountID: Id<Account>) async throws(StorageError) -> Bool {
        // Where several computers share the store, one of them is enough.
        if !store.looksAfter(accountID), try await preferences.value(.notifyEverywhere).boolValue != true {
            return false
        }
        return try await preferences.value(.notifications).objectValue?[accountID.rawValue] != false
    }

    private func tell(_ new: [Id<Email>], of accountID: Id<Account>) async throws(StorageError) {
        let now = clock.now
        let recent = entries.filter {
            $0.value.accountID == accountID && $0.value.postedAt > now - Self.burst
                && !$0.value.emailIDs.isEmpty && !$0.value.isOfRules
        }
        let together = new + recent.values.sorted { $0.postedAt > $1.postedAt }.flatMap(\.emailIDs)
        let summary = Id<MailNotification>("all-\(accountID.rawValue)")
        let isClosed = await appLock.isOn
        if isClosed || together.count > Self.mostAtOnce {
            await takeAway(recent.keys.filter { $0 != summary })
            let emails = try await mail.emails(together, in: accountID)
            let notification =
                isClosed
                ? NoticeWording.closed(emails.count, summary, group: accountID.rawValue)
                : NoticeWording.several(emails, summary)
            return try await post(
                notification,
                Entry(accountID: accountID, emailIDs: together, postedAt: now, isClosed: isClosed))
        }
        let canArchive = try await !mail.mailboxes(.archive, in: accountID).isEmpty
        // The newest ends on top.
        for email in try await mail.emails(new, in: accountID).reversed() {
            let notification = NoticeWording.one(email, Id(email.id.rawValue), canArchive: canArchive)
            try await post(
                notification, Entry(accountID: accountID, emailIDs: [email.id], postedAt: now))
        }
    }

    /// - Parameter ended: called for each sink that has shown it, or will not show it.
    func post(
        _ notification: MailNotification, _ entry: Entry, ended: (@Sendable () async -> Void)? = nil
    ) async throws(StorageError) {
        // Recorded first: withdrawing a notification that was never shown is harmless.
        entries[notification.id] = entry
        try await shown.keep(Set(entries.keys).union(leaving))
        for queue in queues {
            await queue.post(
                SinkQueue.Post(notification: notification, isClosed: entry.isClosed, ended: ended))
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
        do {
            let accounts = Set(try await store.read.accounts().map(\.id))
            let isClosed = await appLock.isOn
            var gone: [Id<MailNotification>] = []
            for (id, entry) in entries {
                let isOwn = accounts.contains(entry.accountID)
                let isWanted = try await mayNotify(entry.accountID)
                let isTooOpen = isClosed && !entry.isClosed
                if !isOwn || !isWanted || isTooOpen {
                    gone.append(id)
                } else if entry.isOfRules {
                    if try await !isNews(entry) { gone.append(id) }
                } else if !entry.emailIDs.isEmpty {
                    if try await !mail.areNews(entry.emailIDs, in: entry.accountID) { gone.append(id) }
                }
            }
            await endNotices(of: gone)
            await takeAway(gone)
            try await showBadge(accounts)
        } catch {
            log.write(.info, "mailkernel", "Notifications could not be updated. \(error.sentence)")
        }
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
