import FoundationEssentials
import MailKernelAPI

let importCases: [ConformanceCase] = [
    accountCase("importedMailIsThere", "Imported messages are stored unchanged, with one outcome each.") {
        trial in
        try await trial.require(.imports, "imports")
        let (one, other) = (try await trial.workplace(), try await trial.workplace(1))
        let mails = [trial.mail(), trial.mail(content: Data([0xe9, 0xff, 13, 10])), trial.mail()]
        let outcomes = try await trial.session.importMessages([
            trial.imported(mails[0], to: [one], keywords: [.seen, .flagged]),
            trial.imported(mails[1], to: [one]), trial.imported(mails[2], to: [one, other]),
        ])
        try expectEqual(outcomes.map(\.name), ["added", "added", "added"], "the outcomes")
        for (mail, outcome) in zip(mails, outcomes) {
            let address = try await trial.only(mail, in: one)
            if case .added(let told?) = outcome { try expectEqual(told, address, "the id in the outcome") }
            try expectEqual(try await trial.fetch(address), mail.bytes, "the bytes of an imported message")
        }
        _ = try await trial.only(mails[2], in: other)
        let held = try await trial.held(mails[0], in: one)
        try expectEqual(held?.keywords, [.seen, .flagged], "the keywords of an imported message")
        let difference = abs((held?.receivedAt ?? .distantPast).timeIntervalSince(mails[0].receivedAt))
        try expect(difference <= 1, "the date of an imported message: found it \(difference) seconds off")
    },
    accountCase(
        "importingAgainAddsNothing",
        "A message that already exists is not added again, and gets the keywords that it lacks."
    ) { trial in
        try await trial.require(.imports, "imports")
        let mailbox = try await trial.workplace()
        let mails = [trial.mail(), trial.mail()]
        let first = try await trial.session.importMessages(
            [[.seen], [.answered]].map { trial.imported(mails[0], to: [mailbox], keywords: $0) })
        try expectEqual(
            first.map(\.name), ["added", "alreadyThere"], "the outcomes of one message twice in a batch")
        let session = try await trial.anotherSession()
        let again = try await session.importMessages(
            mails.map { trial.imported($0, to: [mailbox], keywords: [.flagged]) })
        await session.close()
        try expectEqual(
            again.map(\.name), ["alreadyThere", "added"], "the outcomes of a message again, and a new one")
        for mail in mails { _ = try await trial.only(mail, in: mailbox) }
        try expectEqual(
            try await trial.held(mails[0], in: mailbox)?.keywords, [.seen, .answered, .flagged],
            "the keywords of what was there")
    },
    accountCase(
        "importingPutsIntoFurtherMailboxes",
        "A message that already exists is added to the additional mailboxes."
    ) { trial in
        try await trial.require(.imports, "imports")
        let (one, other) = (try await trial.workplace(), try await trial.workplace(1))
        let mail = trial.mail()
        _ = try await trial.session.importMessages([trial.imported(mail, to: [one])])
        let again = try await trial.session.importMessages([trial.imported(mail, to: [other])])
        try expectEqual(again.map(\.name), ["alreadyThere"], "the outcome of a message that is there")
        _ = try await trial.only(mail, in: one)
        _ = try await trial.only(mail, in: other)
    },
    accountCase(
        "oneBadMessageStopsNoImport",
        "A message that cannot be read or placed is refused; the others are added."
    ) { trial in
        try await trial.require(.imports, "imports")
        let mailbox = try await trial.workplace()
        let mails = [trial.mail(), trial.mail(), trial.mail(), trial.mail()]
        var messages = mails.map { trial.imported($0, to: [mailbox]) }
        messages[0].bytes = BrokenBytes()
        messages[1].mailboxIDs = [mailbox, RemoteMailboxID("\(trial.tag)-nowhere")]
        messages[2].mailboxIDs = []
        let outcomes = try await trial.session.importMessages(messages)
        try expectEqual(
            outcomes.map(\.name), ["refused", "refused", "refused", "added"],
            "the outcomes of a message that cannot be read, two that go nowhere, and a good one")
        if case .refused(let error) = outcomes.first {
            try expect(isLocal(error), "a message that cannot be read: expected “local”, found \(error)")
        }
        let found = try await trial.find(mails[1])
        try expectEqual(found, [], "where the message is found that should have gone nowhere")
        _ = try await trial.only(mails[3], in: mailbox)
    },
    accountCase("anEmptyImportHasNoOutcomes", "An import of no messages has no outcomes.") { trial in
        try await trial.require(.imports, "imports")
        try expectEqual(try await trial.session.importMessages([]), [], "the outcomes of no messages")
    },
    accountCase(
        "withoutImportsItIsUnsupported", "Without support for imports, importing throws “unsupported”."
    ) {
        trial in
        guard await !trial.session.features.contains(.imports) else {
            throw NotApplicable("the account takes imports")
        }
        func isRight(_ error: AccountError) -> Bool { if case .unsupported = error { true } else { false } }
        try await expectError("importMessages", AccountError.self, where: isRight) {
            try await trial.session.importMessages([])
        }
    },
]

extension AccountTrial {
    fileprivate func imported(
        _ mail: TestMail, to mailboxIDs: Set<RemoteMailboxID>, keywords: Set<Keyword> = [.seen]
    ) -> ImportedMessage {
        ImportedMessage(
            bytes: DataSource(mail.bytes), mailboxIDs: mailboxIDs, keywords: keywords,
            receivedAt: mail.receivedAt)
    }
}

extension ImportOutcome {
    fileprivate var name: String {
        switch self {
        case .added: "added"
        case .alreadyThere: "alreadyThere"
        case .refused: "refused"
        }
    }
}
