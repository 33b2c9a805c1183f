import FoundationEssentials
import MailKernelAPI

let watchCases: [ConformanceCase] = [
    accountCase("watchingBeginsWithListening", "The first event reports that watching has started.") {
        trial in
        try await trial.require(.push, "watching")
        let first = try await within(300, "watch: expected “listening” within five minutes, found nothing") {
            try await trial.session.watch().first { _ in true }
        }
        try expectEqual(first, .listening, "the first event")
    },
    accountCase(
        "watchingTellsOfNewMail", "New messages are reported at once while watching, with their feed."
    ) {
        trial in
        try await trial.require(.push, "watching")
        let inbox = try await trial.mailbox(.inbox)
        let mailbox = if let inbox { inbox } else { try await trial.workplace() }
        let feed = try await trial.feed(of: mailbox)
        try await within(300, "watch: expected “changed” for the feed of new mail within five minutes") {
            for try await event in trial.session.watch() {
                if event == .listening {
                    let other = try await trial.anotherSession()
                    try await trial.append(trial.mail(), to: mailbox, by: other)
                    await other.close()
                } else if event == .changed(feed) {
                    return
                }
            }
            throw ConformanceFailure(
                "watch: expected “changed” for the feed of new mail, and the stream ended")
        }
    },
    accountCase("cancellingEndsWatching", "Watching ends soon after its task is canceled.") { trial in
        let watching = Task {
            for try await _ in trial.session.watch() {}
        }
        watching.cancel()
        try await within(60, "watch: expected it to end within a minute of being cancelled") {
            _ = await watching.result
        }
    },
    accountCase("closingEndsWatching", "Closing the session ends watching.") { trial in
        try await trial.require(.push, "watching")
        let session = try await trial.anotherSession()
        _ = try await session.mailboxes()
        let isListening = Gate()
        let watching = Task {
            defer { isListening.open() }
            for try await _ in session.watch() { isListening.open() }
        }
        try await within(300, "watch: expected “listening” within five minutes") { await isListening.wait() }
        await session.close()
        try await within(60, "close: expected watching to end within a minute") {
            _ = await watching.result
        }
    },
    accountCase("closingEndsCalls", "Calls on a closed session end, and closing twice is harmless.") {
        trial in
        let session = try await trial.anotherSession()
        await session.close()
        await session.close()
        try await within(60, "mailboxes on a closed session: expected it to end within a minute") {
            _ = try? await session.mailboxes()
        }
    },
    accountCase(
        "searchFindsBySubject", "A search on the server finds messages by their subject, newest first."
    ) {
        try await $0.require(.serverSearch, "searching on the server")
        let mailbox = try await $0.workplace()
        let older = try await $0.add($0.mail(), to: mailbox)
        let newer = try await $0.add($0.mail(), to: mailbox)
        let found = try await $0.session.search(.subject($0.tag), limit: 10)
        try expectEqual(found, [newer, older], "what the search found")
        let limited = try await $0.session.search(.subject($0.tag), limit: 1)
        try expectEqual(limited, [newer], "what a search with a limit of 1 found")
        let none = try await $0.session.search(.subject("\($0.tag)xyz"), limit: 10)
        try expectEqual(none, [], "what a search for what is nowhere found")
    },
    accountCase("withoutSearchItIsUnsupported", "Without support for search, it throws “unsupported”.") {
        trial in
        guard await !trial.session.features.contains(.serverSearch) else {
            throw NotApplicable("the account can search")
        }
        func isRight(_ error: AccountError) -> Bool { if case .unsupported = error { true } else { false } }
        try await expectError("search", AccountError.self, where: isRight) {
            try await trial.session.search(.text("x"), limit: 1)
        }
    },
]
