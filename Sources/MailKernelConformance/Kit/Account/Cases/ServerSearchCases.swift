import FoundationEssentials
import MailKernelAPI

extension AccountTrial {
    /// Services index new mail a moment after they have accepted it.
    fileprivate func waitUntilIndexed(_ count: Int) async throws {
        try await eventually(
            within: 60, "what the search found: expected \(count) messages within a minute of their arrival"
        ) { [session, tag] in
            try await session.search(.subject(tag), limit: 10).count >= count
        }
    }
}

let searchCases: [ConformanceCase] = [
    accountCase(
        "searchFindsBySubject",
        "A search on the server finds messages by their subject, newest first, a minute after their arrival at the latest."
    ) {
        try await $0.require(.serverSearch, "searching on the server")
        let mailbox = try await $0.workplace()
        let older = try await $0.add($0.mail(), to: mailbox)
        let newer = try await $0.add($0.mail(), to: mailbox)
        try await $0.waitUntilIndexed(2)
        let found = try await $0.session.search(.subject($0.tag), limit: 10)
        try expectEqual(found, [newer, older], "what the search found")
        let limited = try await $0.session.search(.subject($0.tag), limit: 1)
        try expectEqual(limited, [newer], "what a search with a limit of 1 found")
        let none = try await $0.session.search(.subject("\($0.tag)xyz"), limit: 10)
        try expectEqual(none, [], "what a search for what is nowhere found")
    },
    accountCase(
        "searchFindsOlderMail",
        "A search with a date finds only older mail, and what is excluded is not found."
    ) {
        try await $0.require([.serverSearch, .olderMail], "searching older mail")
        let mailbox = try await $0.workplace()
        // Services compare days, each in its own time zone, so there are more than two between the messages.
        let old = try await $0.add($0.mail(daysOld: 40), to: mailbox)
        _ = try await $0.add($0.mail(), to: mailbox)
        try await $0.waitUntilIndexed(2)
        let before = EmailFilter.before($0.mail(daysOld: 10).receivedAt)
        let found = try await $0.session.search(.and([.subject($0.tag), before]), limit: 10)
        try expectEqual(found, [old], "what a search for older mail found")
        let notAny = try await $0.session.search(
            .and([before, .not([.subject($0.tag)]), .subject($0.tag)]), limit: 10)
        try expectEqual(notAny, [], "what a search for a word and not for it found")
    },
    accountCase(
        "foundMailCanBeRead",
        "Messages that a search found are read whole, stay unread, and missing ones are left out."
    ) {
        try await $0.require([.serverSearch, .olderMail], "reading what a search found")
        let mailbox = try await $0.workplace()
        let old = try await $0.add($0.mail(daysOld: 40), to: mailbox, keywords: [])
        let new = try await $0.add($0.mail(), to: mailbox, keywords: [])
        let all = try await $0.session.read([new.id, old.id], feed: old.feed)
        try expectEqual(Set(all.map(\.id)), [new.id, old.id], "the messages that were read")
        try expectEqual(
            all.map { $0.mailboxIDs.contains(mailbox) }, [true, true], "whether they are in their mailbox")
        try expectEqual(all.map { $0.keywords.contains(.seen) }, [false, false], "whether they are seen")
        _ = try await $0.session.apply([.destroy([new])])
        let rest = try await $0.session.read([new.id, old.id], feed: old.feed)
        try expectEqual(rest.map(\.id), [old.id], "the messages that were read after one was destroyed")
    },
    accountCase(
        "withoutReadingItIsUnsupported", "Without support for older mail, reading throws “unsupported”."
    ) {
        trial in
        guard await !trial.session.features.contains(.olderMail) else {
            throw NotApplicable("the account can read older mail")
        }
        func isRight(_ error: AccountError) -> Bool { if case .unsupported = error { true } else { false } }
        try await expectError("read", AccountError.self, where: isRight) {
            try await trial.session.read([RemoteMessageID("1")], feed: FeedID("x"))
        }
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
