import FoundationEssentials
import MailKernelAPI

let submissionCases: [ConformanceCase] = [
    accountCase("mailToOneselfArrives", "A message to the account's own address is accepted and arrives.") {
        trial in
        try await trial.require(.submission, "sending")
        let mail = trial.mail()
        let outcome = try await trial.submit(mail, to: [trial.validated.address])
        guard case .accepted(let reply, let refused) = outcome else {
            throw ConformanceFailure("submit to oneself: expected “accepted”, found \(outcome)")
        }
        let code = reply.smtp?.code ?? 250
        try expect((200..<300).contains(code), "submit: expected a reply of 2xx, found \(code)")
        try expectEqual(refused, [:], "the recipients that were refused")
        guard let inbox = try await trial.mailbox(.inbox) else {
            throw NotApplicable("there is no inbox for it to arrive in")
        }
        try await eventually(
            within: 300, "submit to oneself: expected the message in the inbox within five minutes"
        ) {
            try await !trial.find(mail, in: inbox).isEmpty
        }
    },
    accountCase(
        "aRefusedRecipientIsNamed", "A refused recipient is named, and the others get the message."
    ) {
        try await $0.require(.submission, "sending")
        let unknown = $0.unknown
        let outcome = try await $0.submit($0.mail(), to: [$0.validated.address, unknown])
        switch outcome {
        case .accepted(_, let refused) where refused.isEmpty:
            throw NotApplicable("the service takes mail for everybody, and sends it back later")
        case .accepted(_, let refused):
            try expectEqual(Set(refused.keys), [unknown], "the recipients that were refused")
            try expectRefusal(refused[unknown], "submit to \(unknown)")
        case .rejected(_, let refused):
            // Some services refuse a message as a whole; then no recipient got it.
            try expect(refused[unknown] != nil, "submit: expected to be told that \(unknown) was refused")
        case .unknown:
            throw ConformanceFailure("submit: expected the server's answer, found “unknown”")
        }
    },
    accountCase("nobodyToSendToIsRejected", "A message without valid recipients is rejected and not sent.") {
        trial in
        try await trial.require(.submission, "sending")
        let mail = trial.mail()
        let outcome = try await trial.submit(mail, to: [trial.unknown])
        switch outcome {
        case .accepted(_, let refused) where refused.isEmpty:
            throw NotApplicable("the service takes mail for everybody, and sends it back later")
        case .accepted, .unknown:
            throw ConformanceFailure("submit to an unknown address: expected “rejected”, found \(outcome)")
        case .rejected(let reply, _):
            try expectRefusal(reply, "submit to an unknown address")
        }
        let isFound = try await trial.session.findSent(messageID: mail.messageID)
        try expect(!isFound, "findSent: expected false for a rejected message, found true")
    },
    accountCase(
        "aBrokenMessageIsNotSent", "A message that cannot be read throws “local”: nothing was handed over."
    ) {
        try await $0.require(.submission, "sending")
        let envelope = Envelope(mailFrom: $0.validated.address, rcptTo: [$0.validated.address])
        let session = $0.session
        try await expectError("submit from a source that throws", AccountError.self, where: isLocal) {
            try await session.submit(BrokenBytes(), envelope: envelope)
        }
    },
    accountCase(
        "withoutSubmissionItIsUnsupported", "Without support for sending, submit throws “unsupported”."
    ) {
        trial in
        guard await !trial.session.features.contains(.submission) else {
            throw NotApplicable("the account can send")
        }
        func isRight(_ error: AccountError) -> Bool { if case .unsupported = error { true } else { false } }
        try await expectError("submit", AccountError.self, where: isRight) {
            try await trial.submit(trial.mail(), to: [trial.validated.address])
        }
    },
    accountCase(
        "sentMailIsFound", "A sent message is found in sent mail by its Message-ID."
    ) {
        try await sentIsFound($0)
    },
    accountCase("unsentMailIsNotFound", "A Message-ID that was never sent is not found.") { trial in
        for id in ["\(trial.tag).0@conformance.invalid", "", "\" OR ALL", "\u{0}*"] {
            let isFound = try await trial.session.findSent(messageID: id)
            try expect(!isFound, "findSent: expected false for “\(id)”, found true")
        }
    },
]

extension AccountTrial {
    /// An address that does not exist.
    var unknown: String {
        "\(tag)-nobody@\(validated.address.split(separator: "@").last ?? "conformance.invalid")"
    }

    func submit(_ mail: TestMail, to recipients: [String]) async throws -> SubmissionOutcome {
        let envelope = Envelope(mailFrom: validated.address, rcptTo: recipients)
        return try await session.submit(DataSource(mail.bytes), envelope: envelope)
    }
}

private func expectRefusal(_ reply: SubmissionReply?, _ call: String) throws {
    let code = reply?.smtp?.code ?? 554
    try expect(code >= 400, "\(call): expected a reply of 4xx or 5xx, found \(code)")
    try expect(reply?.text.isEmpty == false, "\(call): expected the service's words")
}

private func sentIsFound(_ trial: AccountTrial) async throws {
    let features = await trial.session.features
    let mail = trial.mail()
    if features.contains([.submission, .savesSentCopies]) {
        _ = try await trial.submit(mail, to: [trial.validated.address])
    } else if let sent = try await trial.mailbox(.sent) {
        try await trial.append(mail, to: sent)
    } else {
        throw NotApplicable("there is no mailbox for sent mail")
    }
    try await eventually(within: 300, "findSent: expected true within five minutes of sending, found false") {
        try await trial.session.findSent(messageID: mail.messageID)
    }
}
