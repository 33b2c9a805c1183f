import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// ORG-38: searches in the user's words, and suggestions while they are typed.
extension MailboxRun {
    private static let searches = [
        "from:anna subject:budget has:attachment newer_than:3y",
        "budget -invoice is:unread to:me@bench.example",
        "(report OR review) subject:project -from:anna before:2027",
        "\"the meeting\" in:inbox is:read larger:2k",
        "to:anna -the has:attachment after:2000", "invoice 2024 -has:attachment in:archive smaller:5M",
        "{danke спасибо} in:inbox -is:starred last year",
        "from:(anna OR bob) subject:(budget -review) is:unread on:friday",
    ]
    private static let typed = [
        "a", "an", "from:an", "from:", "to:b", "in:", "budget in:lab", "is:un", "bud", "has:", "-from:jü",
        "mar",
    ]

    func measureWords(_ report: inout Report) async throws {
        let mailboxes = try await store.backend.mailboxes(nil, in: MailGenerator.account).map(\.mailbox)
        let places = SearchPlaces(mailboxes: mailboxes, addresses: ["me@bench.example"])
        let found = try await p95(over: Self.searches, times: 5) { text in
            let search = SearchText(text, at: Date())
            let filter = search.condition.filter(in: places).stored()
            _ = try await store.backend.queryEmails(EmailQuery(in: [MailGenerator.account], filter: filter))
        }
        report.add(limit("search.words", "p95 of the newest 50 of a search with four operators", found, 15))
        let door = MailStore(store.backend)
        let hints = SearchHints(
            store: door, recent: RecentSearches(store: door, ids: IDMaker(clock: WallClock())))
        let suggested = try await p95(over: Self.typed, times: 5) { text in
            _ = try await hints.hints(for: text, at: text.utf16.count)
        }
        report.add(limit("search.suggestions", "p95 of the suggestions for a typed search", suggested, 10))
    }
}
