import FoundationEssentials
import MailKernelAPI

let mutationCases: [ConformanceCase] = [
    accountCase("keywordsAreSetAndRemoved", "Read and starred are stored by the service, and can be removed.")
    {
        let mailbox = try await $0.workplace()
        let mail = $0.mail()
        let address = try await $0.add(mail, to: mailbox, keywords: [])
        try await $0.done(.setKeywords([address], add: [.seen, .flagged], remove: []))
        try expectEqual(
            try await $0.held(mail)?.keywords, [.seen, .flagged], "the keywords after adding two")
        try await $0.done(.setKeywords([address], add: [.answered], remove: [.flagged]))
        try expectEqual(
            try await $0.held(mail)?.keywords, [.seen, .answered], "the keywords after changing them")
    },
    accountCase("theUsersKeywordsAreKept", "The user's own keywords are stored.") { trial in
        try await trial.require(.keywords, "keywords of the user's own")
        let mailbox = try await trial.workplace()
        let mail = trial.mail()
        let address = try await trial.add(mail, to: mailbox)
        try await trial.done(.setKeywords([address], add: [Keyword("conformance")], remove: []))
        try expectEqual(
            try await trial.held(mail)?.keywords, [.seen, Keyword("conformance")], "the keywords")
    },
    accountCase(
        "aMovedMessageKeepsItsBytes", "A moved message can be fetched by the id in the outcome."
    ) {
        let (source, target) = (try await $0.workplace(), try await $0.workplace(1))
        let mail = $0.mail()
        let old = try await $0.add(mail, to: source, keywords: [.seen, .flagged])
        let newIDs = try await $0.done(.move([old], from: source, to: target)).newIDs
        try expectEqual(try await $0.find(mail, in: source).count, 0, "the message in its old mailbox")
        let new = try await $0.only(mail, in: target)
        if let told = newIDs[old] { try expectEqual(told, new, "the new id in the outcome") }
        try expectEqual(try await $0.fetch(newIDs[old] ?? new), mail.bytes, "the bytes of the moved message")
        try expectEqual(try await $0.held(mail, in: target)?.keywords, [.seen, .flagged], "its keywords")
    },
    accountCase("addingPutsIntoBoth", "Adding a message to a mailbox keeps it in the first one.") { trial in
        let (one, other) = (try await trial.workplace(), try await trial.workplace(1))
        let mail = trial.mail()
        let address = try await trial.add(mail, to: one)
        try await trial.done(.add([address], to: other))
        _ = try await trial.only(mail, in: one)
        _ = try await trial.only(mail, in: other)
    },
    accountCase(
        "takenOutIsNotLost", "Removing a message from its only mailbox keeps it, or is refused."
    ) { trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail()
        let address = try await trial.add(mail, to: mailbox)
        switch try await trial.apply(.remove([address], from: mailbox)) {
        case .done:
            try expectEqual(
                try await trial.find(mail, in: mailbox).count, 0, "the message in its old mailbox")
            try expect(
                try await !trial.find(mail).isEmpty,
                "after remove: expected the message to be kept, it is gone")
        case .refused:
            _ = try await trial.only(mail, in: mailbox)
        case let outcome:
            throw ConformanceFailure("remove: expected “done” or “refused”, found \(outcome)")
        }
    },
    accountCase("aDestroyedMessageIsGone", "A destroyed message is gone everywhere, including Trash.") {
        trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail()
        let address = try await trial.add(mail, to: mailbox)
        try await trial.done(.destroy([address]))
        try expectEqual(try await trial.find(mail), [], "where the message is found after destroy")
    },
    accountCase("doingItAgainChangesNothing", "A repeated mutation has the same effect as a single one.") {
        try await repeated($0)
    },
    accountCase(
        "anOutcomeForEachInOrder",
        "Each mutation has an outcome, in order; a refused one does not stop the others."
    ) {
        let mailbox = try await $0.workplace()
        let mail = $0.mail()
        let address = try await $0.add(mail, to: mailbox, keywords: [])
        let nowhere = RemoteMailboxID("\($0.tag)-nowhere")
        let outcomes = try await $0.session.apply([
            .setKeywords([address], add: [.seen], remove: []), .move([address], from: mailbox, to: nowhere),
            .setKeywords([address], add: [.flagged], remove: []),
        ])
        let kinds = outcomes.map { outcome in
            switch outcome {
            case .done: "done"
            case .failed: "failed"
            case .refused: "refused"
            case .notTried: "notTried"
            }
        }
        try expectEqual(
            kinds, ["done", "refused", "done"], "the outcomes, the second mutation being impossible")
        try expectEqual(
            try await $0.held(mail, in: mailbox)?.keywords, [.seen, .flagged], "the keywords afterwards")
    },
    accountCase(
        "aMissingMessageStopsNothing", "A missing message fails no other mutation, and is not retried."
    ) {
        let mailbox = try await $0.workplace()
        let mails = [$0.mail(), $0.mail()]
        let gone = try await $0.add(mails[0], to: mailbox)
        let here = try await $0.add(mails[1], to: mailbox, keywords: [])
        try await $0.done(.destroy([gone]))
        let outcome = try await $0.apply(.setKeywords([gone], add: [.seen], remove: []))
        switch outcome {
        case .done, .refused: break
        case .failed, .notTried:
            throw ConformanceFailure(
                "setKeywords on a message that is gone: expected “refused” or “done”, found \(outcome)")
        }
        try await $0.done(.setKeywords([gone, here], add: [.seen], remove: []))
        try expectEqual(
            try await $0.held(mails[1])?.keywords, [.seen], "the keywords of the message that is there")
    },
    accountCase("noMutationsNoOutcomes", "An empty list of mutations has no outcomes.") { trial in
        try expectEqual(try await trial.session.apply([]), [], "the outcomes of no mutations")
    },
    accountCase("manyMessagesAtOnce", "One mutation of 60 messages changes them all.") { trial in
        let mailbox = try await trial.workplace()
        var mails: [TestMail] = []
        for _ in 0..<60 { mails.append(trial.mail()) }
        for mail in mails { try await trial.append(mail, to: mailbox, keywords: []) }
        var mirror = FeedMirror(try await trial.feed(of: mailbox))
        try await mirror.round(trial.session)
        let addresses = mails.flatMap { mirror.find($0, in: mailbox) }
        try await trial.done(.setKeywords(addresses, add: [.seen], remove: []))
        try await mirror.round(trial.session)
        let seen = mails.filter { mirror.held($0)?.keywords == [.seen] }
        try expectEqual(seen.count, 60, "the messages that are read afterwards")
    },
]

private func repeated(_ trial: AccountTrial) async throws {
    let (one, other) = (try await trial.workplace(), try await trial.workplace(1))
    let (added, moved, destroyed) = (trial.mail(), trial.mail(), trial.mail())
    var addresses: [RemoteAddress] = []
    for mail in [added, moved, destroyed] { addresses.append(try await trial.add(mail, to: one)) }
    let mutations: [RemoteMutation] = [
        .setKeywords([addresses[0]], add: [.flagged], remove: [.seen]), .add([addresses[0]], to: other),
        .move([addresses[1]], from: one, to: other), .destroy([addresses[2]]),
    ]
    for mutation in mutations { try await trial.done(mutation) }
    for mutation in mutations {
        let outcome = try await trial.apply(mutation)
        if case .failed = outcome {
            throw ConformanceFailure("\(mutation.name) again: expected “done” or “refused”, found \(outcome)")
        }
    }
    try await trial.done(.destroy([addresses[2]]))
    try expectEqual(try await trial.held(added, in: one)?.keywords, [.flagged], "the keywords, set twice")
    _ = try await trial.only(added, in: one)
    _ = try await trial.only(added, in: other)
    _ = try await trial.only(moved, in: other)
    try expectEqual(try await trial.find(moved, in: one).count, 0, "the moved message in its old mailbox")
    try expectEqual(try await trial.find(destroyed), [], "where the destroyed message is found")
}
