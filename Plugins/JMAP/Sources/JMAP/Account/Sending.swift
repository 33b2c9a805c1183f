import FoundationEssentials
import MailKernelAPI

/// A sender that the service knows (RFC 8621, section 6).
struct Sender: Sendable {
    let id: String
    let name: String
    /// Empty at some services, which then send from any address of the user.
    let email: String

    func sends(from address: String) -> Bool {
        let (own, other) = (email.lowercased(), address.lowercased())
        // `*@example.org` is any address of that domain.
        return own == other || own.hasPrefix("*@") && other.hasSuffix(own.dropFirst())
    }
}

extension JMAPAccountSession {
    func identities() async throws -> [Sender] {
        guard let account = try await resource().submissionID else { return [] }
        let answer = try await request(
            [Call("Identity/get", "i", ["accountId": .string(account), "ids": nil])], Capability.submission)
        return (try answer.response("i").value["list"]?.arrayValue ?? []).prefix(1_000).compactMap { value in
            guard let id = value["id"]?.stringValue, !id.isEmpty else { return nil }
            return Sender(
                id: id, name: value["name"]?.stringValue ?? "", email: value["email"]?.stringValue ?? "")
        }
    }

    func holdLimits() async throws(AccountError) -> HoldLimits? {
        let seconds = try await meaningful { try await self.resource().maxDelayedSend }
        return seconds > 0 ? HoldLimits(maxSeconds: seconds, canCancel: true) : nil
    }

    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        let draft = try await meaningful { try await self.draft(message, envelope) }
        guard let answer = try await send([draft.importing, draft.sending("#m")]) else { return .unknown }
        guard let existing = Self.existing(answer) else { return await outcome(answer, envelope) }
        // An earlier try left its copy there.
        guard let answer = try await send([draft.sending(existing)]) else { return .unknown }
        return await outcome(of: answer, envelope, discarding: nil)
    }

    /// Nil if the service may have sent the message all the same.
    private func send(_ calls: [Call]) async throws(AccountError) -> Answer? {
        do throws(WireFailure) {
            return try await request(calls, Capability.submission, purpose: "send mail")
        } catch {
            if error.mayHaveWorked { return nil }
            throw error.meaning(now: wire.clock.now)
        }
    }

    /// The message that the service holds already and does not import again.
    private static func existing(_ answer: Answer) -> String? {
        guard let refused = try? answer.response("i").value["notCreated"]?["m"] else { return nil }
        let error = MethodError(refused)
        guard error.type == "alreadyExists" else { return nil }
        return error.details["existingId"]?.stringValue.flatMap { RemoteMessageID($0).isValid ? $0 : nil }
    }

    /// A message that was uploaded, and the calls that send it.
    private struct Draft: Sendable {
        let importing: Call
        let account: String
        /// Without the message.
        let submission: [String: JSONValue]
        /// What becomes of the message once the service has accepted it.
        let patch: JSONValue

        /// - Parameter email: an id, or a reference to the message that is imported.
        func sending(_ email: String) -> Call {
            var submission = submission
            submission["emailId"] = .string(email)
            return Call(
                "EmailSubmission/set", "s",
                [
                    "accountId": .string(account), "create": ["s": .object(submission)],
                    "onSuccessUpdateEmail": ["#s": patch],
                ])
        }
    }

    private func draft(_ message: any ByteSource, _ envelope: Envelope) async throws -> Draft {
        let resource = try await resource()
        guard let sending = resource.submissionID else { throw AccountError.unsupported("sending mail") }
        let senders = try await identities()
        guard
            let sender = senders.first(where: { $0.sends(from: envelope.mailFrom) })
                ?? senders.first(where: { $0.email.isEmpty }) ?? senders.first
        else { throw AccountError.refused("The service lists no address to send from.") }
        let mailboxes = try await listing()
        guard let sent = mailboxes.first(where: { $0.role == .sent })?.id else {
            throw AccountError.refused("The service has no Sent mailbox.")
        }
        let drafts = mailboxes.first { $0.role == .drafts }?.id ?? sent
        let blob = try await wire.upload(message, type: "message/rfc822", at: resource, purpose: "send mail")
        var from: [String: JSONValue] = ["email": .string(envelope.mailFrom)]
        if let date = envelope.holdUntil {
            let seconds = Int(max(1, date.timeIntervalSince(wire.clock.now).rounded(.up)))
            guard seconds <= resource.maxDelayedSend else {
                throw AccountError.refused("The service cannot hold a message that long.")
            }
            from["parameters"] = ["HOLDFOR": .string("\(seconds)")]
        }
        let submission: [String: JSONValue] = [
            "identityId": .string(sender.id),
            "envelope": [
                "mailFrom": .object(from),
                "rcptTo": .array(envelope.rcptTo.map { ["email": .string($0)] }),
            ],
        ]
        // It is a draft until the service has accepted it; then it is the one copy in Sent.
        var patches = [("keywords/$draft", JSONValue.null)]
        if drafts != sent { patches += [Patch.mailbox(drafts, false), Patch.mailbox(sent, true)] }
        let email = Self.imported(blob, drafts, [.draft, .seen], wire.clock.now)
        return Draft(
            importing: Call(
                "Email/import", "i", ["accountId": .string(resource.accountID), "emails": ["m": email]]),
            account: sending, submission: submission,
            patch: .object(Dictionary(patches) { first, _ in first }))
    }

    private func outcome(_ answer: Answer, _ envelope: Envelope) async -> SubmissionOutcome {
        let imported: JSONValue
        do throws(MethodError) {
            imported = try answer.response("i").value
        } catch {
            // Without the message it cannot be sent; an answer that is cut short says nothing about that.
            guard error.type != "serverPartialFail" else {
                return await outcome(of: answer, envelope, discarding: nil)
            }
            return .rejected(SubmissionReply(error.text, isTransient: error.isPassing), refused: [:])
        }
        if let refused = imported["notCreated"]?["m"] {
            let error = MethodError(refused)
            return .rejected(SubmissionReply(error.text, isTransient: error.isPassing), refused: [:])
        }
        let email = imported["created"]?["m"]?["id"]?.stringValue
        return await outcome(of: answer, envelope, discarding: email)
    }

    /// - Parameter copy: the message that was imported for this try; nil if there was none.
    private func outcome(
        of answer: Answer, _ envelope: Envelope, discarding copy: String?
    ) async -> SubmissionOutcome {
        let refusal: MethodError
        do throws(MethodError) {
            let sent = try answer.response("s").value
            if sent["created"]?["s"]?.objectValue != nil {
                return .accepted(SubmissionReply("The service accepted the message."), refused: [:])
            }
            guard let refused = sent["notCreated"]?["s"] else { return .unknown }
            refusal = MethodError(refused)
        } catch {
            // A service that stopped in the middle may have sent it.
            if error.type == "serverPartialFail" { return .unknown }
            refusal = error
        }
        if let copy { await discard(copy) }
        return Self.rejection(refusal, envelope)
    }

    /// Services send to all recipients or to none.
    private static func rejection(_ error: MethodError, _ envelope: Envelope) -> SubmissionOutcome {
        let named = (error.details["invalidRecipients"]?.arrayValue ?? []).compactMap(\.stringValue)
        let reply = SubmissionReply(error.text, isTransient: error.isPassing)
        var refused: [String: SubmissionReply] = [:]
        for address in envelope.rcptTo
        where named.contains(where: { $0.lowercased() == address.lowercased() }) {
            refused[address] = reply
        }
        return .rejected(reply, refused: refused)
    }

    /// Removes the copy of a message that was not sent. If that fails, it stays among the drafts.
    private func discard(_ email: String) async {
        guard RemoteMessageID(email).isValid else { return }
        _ = try? await set("Email", destroy: [email])
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        guard !messageID.isEmpty, messageID.utf8.count <= 998,
            messageID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return false }
        return try await meaningful {
            guard let sent = try await listing().first(where: { $0.role == .sent })?.id else {
                throw AccountError.unsupported("finding sent mail")
            }
            let place: [String: JSONValue] = ["inMailbox": .string(sent.rawValue)]
            let header = place.merging(["header": ["Message-ID", .string(messageID)]]) { own, _ in own }
            do {
                return try await contains(messageID, header, limit: 20)
            } catch let error as MethodError where error.type == "unsupportedFilter" {
                return try await contains(messageID, place, limit: 200)
            }
        }
    }

    private func contains(_ id: String, _ filter: [String: JSONValue], limit: Int) async throws -> Bool {
        let account = JSONValue.string(try await resource().accountID)
        let answer = try await request([
            Call(
                "Email/query", "q",
                [
                    "accountId": account, "filter": .object(filter), "limit": .number(Double(limit)),
                    "sort": [["property": "receivedAt", "isAscending": false]],
                ]),
            Call(
                "Email/get", "e",
                [
                    "accountId": account, "#ids": Call.result(of: "q", "Email/query", "/ids"),
                    "properties": ["id", "messageId", "keywords"],
                ]),
        ])
        _ = try answer.response("q")
        // The copy of a try that failed is a draft, and without a mailbox for drafts it is here.
        return try answer.response("e").emails?.found.contains {
            $0.messageId?.contains(id) == true && !$0.remoteKeywords.contains(.draft)
        } ?? false
    }
}
