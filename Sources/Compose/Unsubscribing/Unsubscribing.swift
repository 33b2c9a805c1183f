import FoundationEssentials
import MailKernelAPI
import Store

extension UnsubscribeDesk {
    /// Asks to be taken off the list of a message. A message that asks goes through the outbox like any other; a page
    /// is opened by the caller, and only recorded here.
    ///
    /// - Parameter isFromPage: the undo time of a message stands still while no window of the page is open.
    /// - Returns: what sends a message; nil where there is none. All is on disk.
    /// - Throws: `UnsubscribeError`; `ComposeError` if a message cannot be sent.
    package func unsubscribe(
        from emailID: Id<Email>, in accountID: Id<Account>, by kind: UnsubscribeMethod.Kind, isFromPage: Bool
    ) async throws -> EmailSubmission? {
        guard let named = try await views(of: [emailID], in: accountID).first else {
            throw UnsubscribeError.notFound
        }
        return try await inTurn(named.list, accountID) {
            // Read again: it may have been done meanwhile.
            guard let view = try await views(of: [emailID], in: accountID).first else {
                throw UnsubscribeError.notFound
            }
            guard let method = view.methods.first(where: { $0.kind == kind }) else {
                throw UnsubscribeError.notOffered
            }
            // A page may be opened again: what the user did there is not known.
            if view.isDone, !view.isStillSending, view.record?.kind == kind, kind != .page {
                throw UnsubscribeError.alreadyDone
            }
            return try await act(method, view, in: accountID, isFromPage: isFromPage)
        }
    }

    /// Takes a message back that was not sent yet.
    ///
    /// - Returns: whether it was not too late. What a server was asked for cannot be taken back.
    package func takeBack(_ emailID: Id<Email>, in accountID: Id<Account>) async throws -> Bool {
        guard let named = try await views(of: [emailID], in: accountID).first else {
            throw UnsubscribeError.notFound
        }
        return try await inTurn(named.list, accountID) {
            guard let record = try await views(of: [emailID], in: accountID).first?.record else {
                return false
            }
            return try await withdraw(record, in: accountID)
        }
    }

    private func inTurn<Answer: Sendable>(
        _ list: MailingList, _ accountID: Id<Account>, _ change: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await sending.drafts.copies.turns.take("unsubscribe-\(accountID)-\(list.name)", change)
    }

    private func act(
        _ method: UnsubscribeMethod, _ view: UnsubscribeView, in accountID: Id<Account>, isFromPage: Bool
    ) async throws -> EmailSubmission? {
        switch method {
        case .oneClick(let url):
            guard let network else { throw UnsubscribeError.notOffered }
            try await OneClickRequest(network: network).send(to: url)
        case .mail(let mail):
            if let record = view.record { _ = try await withdraw(record, in: accountID) }
            return try await send(mail, method, view, in: accountID, isFromPage: isFromPage)
        case .page: break
        }
        try await store.commit([try record(of: method, view).change(in: accountID)])
        return nil
    }

    private func record(of method: UnsubscribeMethod, _ view: UnsubscribeView) -> Unsubscription {
        Unsubscription(
            list: view.list, kind: method.kind, target: method.target, at: clock.now, emailID: view.emailID)
    }

    private func send(
        _ mail: UnsubscribeMail, _ method: UnsubscribeMethod, _ view: UnsubscribeView,
        in accountID: Id<Account>, isFromPage: Bool
    ) async throws -> EmailSubmission {
        let identities = try await store.read.identities(nil, in: accountID)
        let fields = try await store.read.body(of: view.emailID, in: accountID)?.headers ?? []
        guard let email = try await store.read.emails([view.emailID], in: accountID).first?.email,
            // The list knows the address that it sends to.
            let identity = ReceivingIdentity(identities: identities).identity(for: email.header, fields)
        else { throw ComposeError.noIdentity }
        let content = DraftContent(
            identityID: identity.id, to: [mail.to], subject: mail.subject, body: mail.body)
        let draft = try await sending.drafts.create(content, in: accountID)
        let begun = record(of: method, view)
        return try await sending.send(draft.id, in: accountID, isFromPage: isFromPage) { submission in
            var record = begun
            (record.submissionID, record.draftID) = (submission.id, draft.id)
            return [try record.change(in: accountID)]
        }
    }

    /// Calls the message back if that is still possible, and removes its draft and the record.
    private func withdraw(_ record: Unsubscription, in accountID: Id<Account>) async throws -> Bool {
        guard let submissionID = record.submissionID, let draftID = record.draftID else { return false }
        let submission = try await store.read.submissions([submissionID], in: accountID).first
        if submission?.undoStatus != .canceled {
            guard try await sending.outbox.cancel(submissionID, in: accountID) != nil else { return false }
        }
        _ = try await sending.drafts.destroy(draftID, in: accountID)
        try await store.commit([.destroyDocument(record.key(accountID))])
        return true
    }
}
