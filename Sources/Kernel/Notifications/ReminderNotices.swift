import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Announces conversations that returned to the inbox because there was no reply.
extension Notifications {
    /// Those that returned before the start were announced, or are old news.
    func noteReminders() async {
        for (reminder, _) in (try? await returned()) ?? [] { toldReminders.insert(reminder.mark) }
    }

    func tellOfReminders() async {
        do {
            for (reminder, returned) in try await returned()
            where toldReminders.insert(reminder.mark).inserted {
                // It is no new message.
                told.insert(returned.emailID)
                // A visible page announces it itself.
                guard await !presence.isAnyVisible, try await mayNotify(reminder.accountID) else { continue }
                try await tell(reminder, returned)
            }
        } catch {
            log.write(.info, "mailkernel", "A reminder could not be announced. \(error.logged)")
        }
    }

    private func tell(_ reminder: Reminder, _ returned: Reminder.Return) async throws {
        let ids = [reminder.emailID ?? returned.emailID]
        guard let email = try await mail.emails(ids, in: reminder.accountID).first else { return }
        let id = Id<MailNotification>("reminder-\(reminder.id.rawValue)")
        let isClosed = await appLock.isOn
        let notification =
            isClosed
            ? NoticeWording.closedNoReply(id, group: reminder.accountID.rawValue)
            : NoticeWording.noReply(email, id)
        try await post(
            notification,
            Entry(
                accountID: reminder.accountID, emailIDs: [returned.emailID], postedAt: clock.now,
                isClosed: isClosed))
    }

    private func returned() async throws(StorageError) -> [(Reminder, Reminder.Return)] {
        var all: [(Reminder, Reminder.Return)] = []
        for account in try await store.read.accounts() {
            for reminder in try await Reminder.all(in: account.id, store) {
                if let returned = reminder.returned { all.append((reminder, returned)) }
            }
        }
        return all
    }
}

extension Reminder {
    /// It can return again, if the user gives it another time.
    fileprivate var mark: String { "\(id.rawValue) \(returned?.at.timeIntervalSince1970 ?? 0)" }
}
