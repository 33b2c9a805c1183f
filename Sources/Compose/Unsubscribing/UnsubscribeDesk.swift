import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// Leaves mailing lists, when the user asks for it and never otherwise.
package struct UnsubscribeDesk: Sendable {
    let store: MailStore
    let sending: DraftSending
    let network: (any PluginNetwork)?
    let clock: any HostClock

    /// - Parameter network: must not follow redirects. Without it, no server is asked.
    package init(
        store: MailStore, sending: DraftSending, network: (any PluginNetwork)?, clock: any HostClock
    ) {
        (self.store, self.sending, self.network, self.clock) = (store, sending, network, clock)
    }

    /// Those of the messages that are from a list which can be left, or was.
    package func views(
        of ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [UnsubscribeView] {
        let emails = try await store.read.emails(ids, in: accountID)
        guard !emails.isEmpty else { return [] }
        let records = try await Unsubscription.all(in: accountID, store)
        let canSend = try await sending.drafts.mail.features(of: accountID).contains(.submission)
        var views: [UnsubscribeView] = []
        for stored in emails {
            let fields = try await store.read.body(of: stored.email.id, in: accountID)?.headers ?? []
            let header = UnsubscribeHeader(fields)
            let list = MailingList(stored.email.header, header)
            let methods = UnsubscribeMethod.all(in: header, canSend: canSend)
            var view = UnsubscribeView(
                emailID: stored.email.id, list: list,
                methods: network == nil ? methods.filter { $0.kind != .oneClick } : methods)
            let record = records.filter { $0.list.isSame(as: list) }.max { $0.at < $1.at }
            if let record { try await add(record, to: &view, accountID, stored.email.receivedAt) }
            guard !view.methods.isEmpty || view.isDone else { continue }
            views.append(view)
        }
        return views
    }

    /// What the user did about senders, by their addresses in lower case: the last of each.
    package func records(in accountID: Id<Account>) async throws(StorageError) -> [String: UnsubscribeView] {
        var found: [String: Unsubscription] = [:]
        for record in try await Unsubscription.all(in: accountID, store) {
            let known = found[record.list.sender]
            if known.map({ $0.at < record.at }) ?? true { found[record.list.sender] = record }
        }
        var views: [String: UnsubscribeView] = [:]
        for (sender, record) in found {
            var view = UnsubscribeView(emailID: record.emailID, list: record.list, methods: [])
            try await add(record, to: &view, accountID, nil)
            if view.isDone { views[sender] = view }
        }
        return views
    }

    private func add(
        _ record: Unsubscription, to view: inout UnsubscribeView, _ accountID: Id<Account>,
        _ receivedAt: Date?
    ) async throws(StorageError) {
        view.record = record
        view.progress = .sent
        if let id = record.submissionID {
            if let submission = try await store.read.submissions([id], in: accountID).first {
                view.progress = submission.progress
                if view.progress == .waiting { view.sendAt = submission.sendAt }
            } else if let draft = record.draftID,
                try await store.read.document(Draft.key(draft, accountID)) != nil
            {
                // It was taken back, and the submission is gone.
                view.progress = .none
            }
        }
        let isLate = receivedAt.map(record.isIgnored) ?? false
        view.isStillSending = view.progress == .sent && isLate
    }
}
