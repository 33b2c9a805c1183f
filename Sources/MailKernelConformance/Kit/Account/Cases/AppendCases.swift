import FoundationEssentials
import MailKernelAPI

let appendCases: [ConformanceCase] = [
    accountCase("appendTellsTheId", "append returns the id of the new message.") { trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail()
        guard let told = try await trial.append(mail, to: mailbox).address else {
            throw NotApplicable("the service does not tell the id of a new message")
        }
        try expectEqual(told, try await trial.only(mail, in: mailbox), "the id that append returned")
        try expectEqual(try await trial.fetch(told), mail.bytes, "the bytes by that id")
    },
    accountCase(
        "replacingLeavesOne", "A message that replaces another leaves exactly one, and none in Trash."
    ) { trial in
        let mailbox = try await trial.workplace()
        let mails = [trial.mail(), trial.mail(), trial.mail()]
        var last = try await trial.add(mails[0], to: mailbox, keywords: [.draft, .seen])
        for mail in mails.dropFirst() {
            try await trial.append(mail, to: mailbox, keywords: [.draft, .seen], replacing: last)
            last = try await trial.only(mail, in: mailbox)
        }
        try expectEqual(try await trial.find(mails[0]), [], "where the first message is found")
        try expectEqual(try await trial.find(mails[1]), [], "where the second message is found")
        try expectEqual(
            try await trial.held(mails[2])?.keywords, [.draft, .seen], "the keywords of the last")
    },
    accountCase("replacingWhatIsGoneAdds", "A message whose predecessor is gone is still added.") {
        trial in
        let mailbox = try await trial.workplace()
        let (old, new) = (trial.mail(), trial.mail())
        let gone = try await trial.add(old, to: mailbox)
        try await trial.done(.destroy([gone]))
        try await trial.append(new, to: mailbox, replacing: gone)
        _ = try await trial.only(new, in: mailbox)
    },
    accountCase(
        "appendingToNowhereThrows", "Appending to a missing mailbox throws, and replaces nothing."
    ) {
        let mailbox = try await $0.workplace()
        let (old, new) = ($0.mail(), $0.mail())
        let address = try await $0.add(old, to: mailbox)
        let trial = $0
        try await expectError(
            "append to a mailbox that is not there", AccountError.self, where: { $0 == .notFound }
        ) {
            try await trial.append(new, to: RemoteMailboxID("\(trial.tag)-nowhere"), replacing: address)
        }
        _ = try await $0.only(old, in: mailbox)
        try expectEqual(try await $0.find(new), [], "where the message is found that could not be added")
    },
    accountCase("aBrokenSourceAddsNothing", "A message that cannot be read throws “local” and is not added.")
    { trial in
        let mailbox = try await trial.workplace()
        let before = try await trial.mirrors(of: mailbox).map(\.messages.count)
        try await expectError("append from a source that throws", AccountError.self, where: isLocal) {
            try await trial.session.append(
                BrokenBytes(), to: mailbox, keywords: [], receivedAt: trial.mail().receivedAt, replacing: nil)
        }
        let after = try await trial.mirrors(of: mailbox).map(\.messages.count)
        try expectEqual(after, before, "the number of messages afterwards")
    },
]

let fetchCases: [ConformanceCase] = [
    accountCase("everyByteComesBack", "A message is fetched byte for byte, 8-bit text included.") { trial in
        let bytes =
            Data("Grüße, 日本語, \u{1F600}\r\n.\r\n..\r\nFrom here\r\n \t \r\n".utf8)
            + Data([0xe9, 0xff, 13, 10])
        try await roundTrip(trial, bytes)
    },
    accountCase(
        "zeroBytesComeBack", "A message with zero bytes is fetched unchanged, or refused immediately."
    ) { trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail(content: Data([65, 0, 66, 0, 0, 13, 10]))
        do {
            try await trial.append(mail, to: mailbox)
        } catch AccountError.refused(let reason), AccountError.invalid(_, let reason) {
            throw NotApplicable("the service takes no bytes of zero: \(reason)")
        }
        let address = try await trial.only(mail, in: mailbox)
        try expectEqual(try await trial.fetch(address), mail.bytes, "the bytes of the message")
    },
    accountCase("largeMailComesBack", "A message of 5 MB is fetched byte for byte.") { trial in
        try await roundTrip(trial, largeContent)
    },
    accountCase(
        "aLineWithoutEndComesBack", "A message without a final line break is fetched unchanged."
    ) {
        try await roundTrip($0, Data("no end".utf8))
    },
    accountCase("fetchingTwiceIsTheSame", "Two simultaneous fetches both return the whole message.") {
        trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail(content: largeContent)
        let address = try await trial.add(mail, to: mailbox)
        async let one = trial.fetch(address)
        async let other = trial.fetch(address)
        let (first, second) = try await (one, other)
        try expect(
            first == mail.bytes && second == mail.bytes, "two fetches at once: expected the message twice")
    },
    accountCase("aBrokenSinkEndsTheFetch", "If the sink throws, the fetch ends with “local”.") { trial in
        let address = try await trial.add(trial.mail(), to: try await trial.workplace())
        try await expectError("fetch into a sink that throws", AccountError.self, where: isLocal) {
            try await trial.session.fetch(address.id, feed: address.feed, partID: nil, into: BrokenBytes())
        }
    },
    accountCase("aMissingMessageIsNotFound", "Fetching a message that is gone throws “notFound”.") { trial in
        let address = try await trial.add(trial.mail(), to: try await trial.workplace())
        try await trial.done(.destroy([address]))
        try await expectError(
            "fetch of a message that is gone", AccountError.self, where: { $0 == .notFound }
        ) {
            try await trial.fetch(address)
        }
    },
    accountCase("aMissingPartIsNotFound", "Fetching a missing part throws “notFound”.") { trial in
        let address = try await trial.add(trial.mail(), to: try await trial.workplace())
        try await expectError(
            "fetch of a part that is not there", AccountError.self, where: { $0 == .notFound }
        ) {
            try await trial.fetch(address, partID: "99.99")
        }
    },
    accountCase("partsComeDecoded", "A part of a message is fetched with its transfer encoding removed.") {
        try await part($0)
    },
    accountCase("aCancelledFetchEndsSoon", "A fetch whose task is canceled ends soon, with “cancelled”.") {
        try await cancelledFetch($0)
    },
    accountCase(
        "aCancelledSyncEndsSoon", "A call whose task is canceled ends soon, without any other error."
    ) { trial in
        guard let feed = try await trial.session.mailboxes().feeds.first?.id else { return }
        let sync = Task {
            // Cancelled before it begins, so that no luck is involved.
            withUnsafeCurrentTask { $0?.cancel() }
            var mirror = FeedMirror(feed)
            try await mirror.step(trial.session)
        }
        do {
            try await within(60, "changes in a cancelled task: expected it to end within a minute") {
                try await sync.value
            }
        } catch AccountError.cancelled {
            return
        }
    },
]

private let largeContent: Data = {
    let lines = (0..<70_000).map {
        "Line \($0) of a message that is five megabytes long; it goes on and on.\r\n"
    }
    return Data(lines.joined().utf8)
}()

func isLocal(_ error: AccountError) -> Bool {
    if case .local = error { true } else { false }
}

extension AccountTrial {
    func fetch(_ address: RemoteAddress, partID: String? = nil) async throws -> Data {
        let sink = CollectingSink()
        try await session.fetch(address.id, feed: address.feed, partID: partID, into: sink)
        return await sink.bytes
    }
}

private func roundTrip(_ trial: AccountTrial, _ content: Data) async throws {
    let mail = trial.mail(content: content)
    let address = try await trial.add(mail, to: try await trial.workplace())
    let found = try await trial.fetch(address)
    guard found != mail.bytes else { return }
    let same = zip(found, mail.bytes).prefix { $0 == $1 }.count
    throw ConformanceFailure(
        "fetch: expected the \(mail.bytes.count) bytes that were appended, found \(found.count), different from byte \(same) on"
    )
}

private func part(_ trial: AccountTrial) async throws {
    let content = Data("Q2Fmw6k=\r\n".utf8)
    let mail = trial.mail(content: content, header: ["Content-Transfer-Encoding: base64"])
    let mailbox = try await trial.workplace()
    try await trial.append(mail, to: mailbox)
    let feed = try await trial.feed(of: mailbox)
    var mirror = FeedMirror(feed)
    let messages = try await mirror.round(trial.session).flatMap(\.messages)
    guard
        let message = messages.first(where: { MessageHeader.messageID(of: $0.headerBytes) == mail.messageID })
    else {
        throw ConformanceFailure("a sync from the beginning: expected the message that was appended")
    }
    guard case .parts(_, let structure) = message.content else {
        throw NotApplicable("messages come as a whole, so their parts are not fetched")
    }
    let found = try await trial.fetch(RemoteAddress(feed: feed, id: message.id), partID: structure.partID)
    try expectEqual(found, Data("Café".utf8), "the decoded bytes of the part")
}

/// Waits with the first bytes until the fetch has been cancelled, and counts what still comes.
private actor PatientSink: ByteSink {
    let began = Gate()
    let cancelled = Gate()
    private(set) var late = 0
    private var hasBegun = false

    func write(_ bytes: Data) async {
        if hasBegun {
            late += bytes.count
        } else {
            hasBegun = true
            began.open()
            await cancelled.wait()
        }
    }
}

private func cancelledFetch(_ trial: AccountTrial) async throws {
    let mail = trial.mail(content: largeContent)
    let address = try await trial.add(mail, to: try await trial.workplace())
    let sink = PatientSink()
    let fetch = Task {
        try await trial.session.fetch(address.id, feed: address.feed, partID: nil, into: sink)
    }
    try await within(300, "fetch: expected the first bytes within five minutes") { await sink.began.wait() }
    fetch.cancel()
    sink.cancelled.open()
    do {
        try await within(60, "a cancelled fetch: expected it to end within a minute") {
            try await fetch.value
        }
    } catch AccountError.cancelled {
        return
    }
    // A message that had arrived as a whole may be handed over.
    let late = await sink.late
    try expect(late < 4_000_000, "a cancelled fetch: expected “cancelled”, and \(late) bytes came after it")
}
