import FoundationEssentials
import MailKernelAPI

/// A message becomes a draft at Microsoft, and the draft is sent: after a lost answer the draft says whether it was. The
/// draft then is the copy in Sent.
extension GraphAccountSession {
    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        guard envelope.holdUntil == nil else { throw .refused("Microsoft Graph does not hold messages.") }
        let bytes = try await meaningful { try await self.bytes(of: message) }
        let key = Self.key(bytes)
        if case .sending(let id) = await attempts.attempt(key) {
            return try await meaningful { try await self.again(id, key, envelope) }
        }
        let draft: MadeDraft
        do throws(AccountError) {
            draft = try await meaningful { try await self.draft(bytes, key) }
        } catch .refused(let words) {
            await attempts.forget(key)
            return .rejected(SubmissionReply(words), refused: [:])
        }
        return try await meaningful { try await self.send(draft, key, envelope) }
    }

    // MARK: The draft

    private func draft(_ bytes: Data, _ key: String) async throws -> MadeDraft {
        let isNamed = Self.isMessageID(key)
        if isNamed {
            var there = try await drafts(key)
            if case .making(let before) = await attempts.attempt(key) {
                // Of an earlier try whose answer was lost: perhaps without its attachments.
                for id in there where !before.contains(id) { _ = await discard(id) }
                there.removeAll { !before.contains($0) }
            }
            try await attempts.note(.making(besides: there), for: key)
        }
        return try await create(bytes, at: place.mailbox + "/messages", purpose: "send mail")
    }

    private func drafts(_ messageID: String) async throws -> [String] {
        try await found(messageID, in: "drafts", more: "")
    }

    /// Ids of the messages of a folder with this Message-ID.
    private func found(_ messageID: String, in folder: String, more: String) async throws -> [String] {
        let filter = "internetMessageId%20eq%20" + Place.quoted(messageID)
        let json = try await wire.get(
            JSONValue.self, "\(place.folder(folder))/messages?$filter=\(filter)&$select=id\(more)&$top=20",
            purpose: "send mail")
        guard let list = json["value"]?.arrayValue else { throw AccountError.badAnswer("a list is missing") }
        return list.filter { $0["isDraft"]?.boolValue != true || more.isEmpty }
            .compactMap { $0["id"]?.stringValue }
    }

    /// Under what a message is noted: its Message-ID, or its bytes if it has none.
    private static func key(_ bytes: Data) -> String {
        if let id = MIMEHeader(bytes).value("message-id"), isMessageID(id) { return id }
        return "bytes " + DeltaCursor.mark(bytes)
    }

    static func isMessageID(_ text: String) -> Bool {
        (3...998).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    // MARK: Sending

    private func send(
        _ draft: MadeDraft, _ key: String, _ envelope: Envelope
    ) async throws -> SubmissionOutcome {
        let wanted = Set(envelope.rcptTo.map { $0.lowercased() })
        // Microsoft sends to those whom the message names, and asks for no others.
        guard draft.recipients.isSubset(of: wanted) else {
            await abandon(draft.id, key)
            return .rejected(SubmissionReply(Sentences.otherRecipients), refused: [:])
        }
        let hidden = envelope.rcptTo.filter { !draft.recipients.contains($0.lowercased()) }
        do {
            if !hidden.isEmpty {
                let list = draft.bcc + hidden.map { ["emailAddress": ["address": .string($0)]] }
                _ = try await wire.send(
                    "PATCH", place.message(draft.id), json: ["bccRecipients": .array(list)],
                    purpose: "send mail")
            }
            try await attempts.note(.sending(draft.id), for: key)
        } catch {
            await abandon(draft.id, key)
            throw error
        }
        return try await send(draft.id, key)
    }

    private func send(_ id: String, _ key: String) async throws -> SubmissionOutcome {
        do throws(GraphFailure) {
            _ = try await wire.send("POST", place.message(id) + "/send", purpose: "send mail")
        } catch {
            guard let refusal = error.refusal else {
                if error.mayHaveWorked { return .unknown }
                throw error
            }
            // A draft that is not there may have been sent by a try before.
            if error.mayHaveWorked || refusal.isNotFound { return .unknown }
            if refusal.isThrottling || refusal.status == 401 { throw error }
            await abandon(id, key)
            let isTransient = Self.transient.contains(refusal.code.lowercased())
            return .rejected(SubmissionReply(refusal.text, isTransient: isTransient), refused: [:])
        }
        await attempts.forget(key)
        return .accepted(SubmissionReply("Microsoft accepted the message."), refused: [:])
    }

    private static let transient: Set = [
        "errorserverbusy", "errormailboxstoreunavailable", "errorinternalservertransienterror",
        "errorexceededmessagelimit", "errorirresolvableconflict", "errortimeoutexpired",
    ]

    /// Removes a draft that was certainly not sent. If that fails, it stays among the drafts.
    private func abandon(_ id: String, _ key: String) async {
        if await discard(id) { await attempts.forget(key) }
    }

    // MARK: After a lost answer

    private enum Fate {
        case draft(MadeDraft)
        case sent, missing
    }

    private func fate(_ id: String) async throws -> Fate {
        do throws(GraphFailure) {
            let json = try await wire.get(
                JSONValue.self, place.message(id) + "?$select=\(MadeDraft.select)", purpose: "send mail")
            guard let isDraft = json["isDraft"]?.boolValue, let draft = MadeDraft(json) else {
                throw .account(.badAnswer("a draft has no state"))
            }
            return isDraft ? .draft(draft) : .sent
        } catch {
            if error.isNotFound { return .missing }
            throw error
        }
    }

    /// The same draft again: Microsoft sends it once.
    private func again(_ id: String, _ key: String, _ envelope: Envelope) async throws -> SubmissionOutcome {
        switch try await fate(id) {
        case .sent:
            await attempts.forget(key)
            return .accepted(SubmissionReply("Microsoft accepted the message."), refused: [:])
        case .draft(let draft):
            // An address that Exchange writes in another way would be missing: the first try has compared them.
            guard draft.recipients.isSubset(of: envelope.rcptTo.map { $0.lowercased() }) else {
                await abandon(id, key)
                return .rejected(SubmissionReply(Sentences.otherRecipients), refused: [:])
            }
            return try await send(id, key)
        // On its way from Outbox to Sent, or deleted by another program: nothing says which.
        case .missing: return .unknown
        }
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        let plain = messageID.hasPrefix("<") ? messageID : "<\(messageID)>"
        guard Self.isMessageID(plain), messageID.utf8.count <= 900 else { return false }
        return try await meaningful {
            if case .sending(let id) = await attempts.attempt(plain), case .sent = try await fate(id) {
                return true
            }
            let inSent = try await found(plain, in: "sentitems", more: ",isDraft")
            let onItsWay = try await found(plain, in: FolderTree.outboxName, more: ",isDraft")
            return !(inSent + onItsWay).isEmpty
        }
    }
}
