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
]
