import FoundationEssentials
import MailKernelAPI
import WebCalls

/// A folder that is read: since when, and what the kernel has of it.
struct Round: Sendable {
    let folder: String
    let since: Date?
    let known: KnownIDs

    func wants(_ message: RawMessage) -> Bool {
        guard let since, let date = message.date else { return true }
        return date >= since
    }
}

extension GraphAccountSession {
    /// The first page is small, so that its messages are shown early.
    private static let firstPage = 40
    private static let page = 160
    private static let pageOfOldMail = 500
    private static let mostEntries = 5_000
    /// Seconds for which a page that was asked for ahead of time is good.
    private static let freshness = 60.0
    /// Pages without anything to report that are read in one call.
    private static let mostIdlePages = 20

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        try await meaningful {
            guard feed.isUsable else { throw AccountError.notFound }
            let round = Round(folder: feed.rawValue, since: since, known: KnownIDs(known))
            var place: DeltaCursor
            if let cursor {
                place = try DeltaCursor(cursor)
            } else {
                place = DeltaCursor(phase: .reading, link: "")
                place.isFirst = try await round.known.after(nil, limit: 1).isEmpty
            }
            for _ in 0..<Self.mostIdlePages where place.phase != .cleaning {
                let (batch, next) = try await step(place, round)
                if !batch.hasMore || !batch.isIdle { return batch }
                place = next
            }
            if place.phase == .cleaning { return try await clean(place, round) }
            return try await step(place, round).batch
        }
    }

    // MARK: A page

    struct ChangesPage: Sendable, Decodable {
        let value: [Lenient<RawMessage>]
        let next: String?
        let delta: String?

        enum CodingKeys: String, CodingKey {
            case value
            case next = "@odata.nextLink"
            case delta = "@odata.deltaLink"
        }
    }

    private func page(_ cursor: DeltaCursor, _ folder: String) async throws -> ChangesPage {
        var link = cursor.link
        if link.isEmpty {
            let query = "\(RawMessage.select)&\(RawMessage.expand)&$orderby=receivedDateTime%20desc"
            link = place.base + place.folder(folder) + "/messages/delta?" + query
        }
        let size =
            cursor.link.isEmpty ? Self.firstPage : cursor.isPast ? Self.pageOfOldMail : Self.page
        let page: ChangesPage
        if let ahead = await takeAhead(link, folder) {
            page = ahead
        } else {
            page = try GraphWire.decode(
                ChangesPage.self, try await wire.get(try place.link(link), pageSize: size))
        }
        guard page.value.count <= Self.mostEntries else { throw AccountError.badAnswer("a page is too long") }
        guard let after = page.next ?? page.delta else {
            throw AccountError.badAnswer("a page of changes has no link")
        }
        _ = try place.link(after)
        guard page.next != link, cursor.pages < DeltaCursor.mostPages else {
            throw AccountError.badAnswer("the list of changes does not go on")
        }
        return page
    }

    /// A page that was asked for while the messages of the one before it were read.
    struct Ahead: Sendable {
        let link: String
        let asked: Date
        let page: Task<ChangesPage?, Never>
    }

    /// The kernel will ask for the next page as soon as it has this one's messages.
    private func lookAhead(_ link: String, _ folder: String) {
        guard ahead[folder]?.link != link, let url = try? place.link(link) else { return }
        let page = Task { [wire] in
            try? GraphWire.decode(ChangesPage.self, try await wire.get(url, pageSize: Self.page))
        }
        ahead[folder]?.page.cancel()
        ahead[folder] = Ahead(link: link, asked: wire.clock.now, page: page)
    }

    /// Nil if there is none, it failed, or the kernel took so long that marks may have changed.
    private func takeAhead(_ link: String, _ folder: String) async -> ChangesPage? {
        guard let one = ahead.removeValue(forKey: folder), one.link == link,
            wire.clock.now.timeIntervalSince(one.asked) < Self.freshness
        else { return nil }
        return await one.page.value
    }

    private func step(
        _ start: DeltaCursor, _ round: Round
    ) async throws -> (batch: ChangeBatch, next: DeltaCursor) {
        let page = try await page(start, round.folder)
        let entries = Entries(page.value.compactMap(\.value))
        let messages = try await completed(entries.messages, in: round.folder)
        learnCategories(messages)
        let known = try await round.known.among(messages.compactMap(\.remoteID))
        let done = Set(start.done)
        let fresh = messages.filter { message in
            round.wants(message) && !known.contains(RemoteMessageID(message.id))
                && !done.contains(DeltaCursor.mark(message.id))
        }
        if let next = page.next, start.phase == .reading, !fresh.isEmpty { lookAhead(next, round.folder) }
        let contents = try await contents(of: fresh, in: round.folder, pageSize: page.value.count)
        var batch = ChangeBatch(cursor: start.cursor, hasMore: true)
        (batch.messages, batch.failures) = (contents.messages, contents.failures)
        batch.removed = entries.removed.map { RemoteMessageID($0) }.filter(\.isUsable)
        batch.updates = messages.filter { known.contains(RemoteMessageID($0.id)) }.map { message in
            RemoteUpdate(
                id: RemoteMessageID(message.id), keywords: Marks.keywords(of: message),
                mailboxIDs: [RemoteMailboxID(round.folder)])
        }
        forgetAdded(entries, in: round.folder)
        var next: DeltaCursor
        if let stop = contents.stop {
            // The rest of the page comes later: what is there already is not asked for again.
            guard contents.isSome else { throw stop }
            next = start
            next.done += fresh.map(\.id).filter { !contents.open.contains($0) }.map(DeltaCursor.mark)
            guard next.done.count <= DeltaCursor.mostDone else {
                throw AccountError.badAnswer("a page is too long")
            }
        } else {
            next = after(page, start, count: entries.messages.count)
            next.isPast = !messages.isEmpty && messages.allSatisfy { !round.wants($0) }
            batch.hasMore = page.next != nil || next.phase == .cleaning
            if !batch.hasMore { batch.removed += try await lostAdditions(in: round.folder) }
        }
        batch.progress = progress(next, in: round.folder)
        batch.cursor = next.cursor
        return (batch, next)
    }

    private func after(_ page: ChangesPage, _ start: DeltaCursor, count: Int) -> DeltaCursor {
        var next: DeltaCursor
        if let link = page.next {
            next = start.at(link, start.phase)
        } else {
            // Mail that was read again: some of what the kernel has may be gone.
            let isAgain = start.phase == .reading && !start.isFirst
            next = start.at(page.delta ?? "", isAgain ? .cleaning : .current)
        }
        next.count = next.phase == .reading ? start.count + count : 0
        next.pages = page.next == nil ? 0 : start.pages + 1
        return next
    }

    private func progress(_ cursor: DeltaCursor, in folder: String) -> SyncProgress? {
        guard cursor.phase == .reading, let total = tree.folders[folder]?.totalItemCount, total > 0 else {
            return nil
        }
        return SyncProgress(done: min(cursor.count, total), total: total)
    }

    /// Messages of which a change tells only what is new, with the rest.
    private func completed(_ messages: [RawMessage], in folder: String) async throws -> [RawMessage] {
        let partial = messages.filter { !$0.isComplete }
        guard !partial.isEmpty else { return messages }
        let whole = try await states(partial.map(\.id))
        return messages.compactMap { message in
            if message.isComplete { return message }
            guard let found = whole[message.id] else { return nil }
            return found.parentFolderId.map { $0 == folder } ?? true ? found : nil
        }
    }

    /// The state of some messages; those that are gone are missing.
    func states(_ ids: [String]) async throws -> [String: RawMessage] {
        let query = "?\(RawMessage.select)&\(RawMessage.expand)"
        let requests = ids.map { Subrequest(path: place.message($0) + query) }
        var states: [String: RawMessage] = [:]
        for (id, reply) in zip(ids, try await wire.batches(requests, purpose: "sync mail")) {
            if case .refused(let refusal) = reply, refusal.isNotFound { continue }
            let json = try reply.success()
            guard let data = try? JSONEncoder().encode(json),
                let message = try? JSONDecoder().decode(RawMessage.self, from: data)
            else { continue }
            states[id] = message
        }
        return states
    }

    private func learnCategories(_ messages: [RawMessage]) {
        for category in messages.flatMap({ $0.categories ?? [] }) where categories.count < 2_000 {
            if let keyword = Category.keyword(category), categories[keyword] == nil {
                categories[keyword] = category
            }
        }
    }
}

/// What a page of changes tells, each message once: the last word counts.
struct Entries: Sendable {
    private(set) var messages: [RawMessage] = []
    private(set) var removed: [String] = []

    init(_ all: [RawMessage]) {
        var last: [String: Int] = [:]
        for (index, entry) in all.enumerated() where entry.remoteID != nil { last[entry.id] = index }
        for (index, entry) in all.enumerated() where last[entry.id] == index {
            if entry.removed == nil { messages.append(entry) } else { removed.append(entry.id) }
        }
    }
}

extension ChangeBatch {
    /// Whether it reports nothing.
    fileprivate var isIdle: Bool {
        messages.isEmpty && updates.isEmpty && removed.isEmpty && failures.isEmpty
    }
}
