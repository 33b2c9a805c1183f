import FoundationEssentials
import MailKernelAPI
import WebCalls

/// A range that was read: `since`, and what the kernel has.
struct Round: Sendable {
    let since: Date?
    let known: KnownIDs
}

extension JMAPAccountSession {
    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        try await meaningful {
            guard feed == Self.feed else { throw AccountError.notFound }
            let resource = try await resource()
            let round = Round(since: since, known: KnownIDs(known))
            var place: FeedCursor
            if let cursor {
                place = try FeedCursor(cursor, account: resource.accountID)
            } else {
                place = FeedCursor(account: resource.accountID, phase: .reading, state: "")
                place.isFirst = try await round.known.after(nil, limit: 1).isEmpty
            }
            return try await smaller(resource) { amount in
                switch place.phase {
                case .reading: try await self.read(place, round, amount)
                case .cleaning: try await self.clean(place, round, amount.size)
                case .current: try await self.news(place, round, amount)
                }
            }
        }
    }

    // MARK: All mail

    private func read(_ start: FeedCursor, _ round: Round, _ amount: Amount) async throws -> ChangeBatch {
        var place = start
        let page: Page
        do {
            page = try await self.page(place, round.since, amount)
        } catch let error as MethodError where error.type == "anchorNotFound" {
            guard let date = place.lastDate else { throw AccountError.cursorExpired }
            // Within that second, messages may come twice.
            (place.last, place.before) = (nil, date + 1)
            page = try await self.page(place, round.since, amount)
        }
        guard place.last.map({ !page.ids.contains($0) }) ?? true else {
            throw AccountError.badAnswer("Email/query does not go on")
        }
        if place.state.isEmpty { place.state = page.state ?? "" }
        guard FeedCursor.isState(place.state) else { throw AccountError.badAnswer("Email/get has no state") }
        place.total = page.total ?? place.total
        var batch =
            place.isFirst
            ? Self.batch(page.emails, of: page.ids, place)
            : try await difference(page, place, round, amount)
        place.done += page.ids.count
        place.last = page.ids.last ?? place.last
        place.lastDate = page.emails.found.last { $0.id == page.ids.last }?.date ?? place.lastDate
        let isCounted = place.before == nil && place.total.map { place.done >= $0 } ?? false
        if page.ids.isEmpty || isCounted && page.ids.count < amount.size {
            place = FeedCursor(
                account: place.account, phase: place.isFirst ? .current : .cleaning, state: place.state)
            batch.hasMore = !start.isFirst
        } else {
            batch.hasMore = true
            batch.progress = place.total.map { SyncProgress(done: min(place.done, $0), total: $0) }
        }
        batch.cursor = place.cursor
        return batch
    }

    /// A page of all mail, newest first.
    struct Page: Sendable {
        let ids: [String]
        let emails: EmailList
        let total: Int?
        let state: String?
    }

    private func page(_ place: FeedCursor, _ since: Date?, _ amount: Amount) async throws -> Page {
        var filter: [String: JSONValue] = [:]
        filter["after"] = since.map { JSONDate.write($0) }
        filter["before"] = place.before.map { JSONDate.write($0) }
        var query: [String: JSONValue] = [
            "accountId": .string(place.account), "limit": .number(Double(amount.size)),
            "sort": [["property": "receivedAt", "isAscending": false]],
        ]
        if !filter.isEmpty { query["filter"] = .object(filter) }
        if let last = place.last {
            query["anchor"] = .string(last)
            query["anchorOffset"] = 1
        }
        if place.total == nil { query["calculateTotal"] = true }
        var calls: [Call] = []
        if place.state.isEmpty {
            // Changes from here on come after reading.
            calls.append(
                Call(
                    "Email/get", "s",
                    ["accountId": .string(place.account), "ids": [], "properties": ["id"]]))
        }
        calls.append(Call("Email/query", "q", query))
        let ids = Call.result(of: "q", "Email/query", "/ids")
        calls.append(
            get(ids: ("#ids", ids), place.isFirst ? .whole(amount) : .state, "e", account: place.account))
        let answer = try await request(calls)
        let result = try answer.response("q").value
        guard let found = result["ids"]?.arrayValue?.compactMap(\.stringValue),
            let emails = try answer.response("e").emails
        else { throw AccountError.badAnswer("Email/query has no ids") }
        guard found.count <= amount.size else { throw AccountError.badAnswer("Email/query has too many ids") }
        let state = place.state.isEmpty ? try answer.response("s").emails?.state : nil
        return Page(
            ids: found, emails: emails.sorted(as: found), total: result["total"]?.intValue, state: state)
    }

    enum Extent {
        case state
        case whole(Amount)
    }

    func get(ids: (String, JSONValue), _ extent: Extent, _ id: String, account: String) -> Call {
        var arguments: [String: JSONValue] = ["accountId": .string(account), ids.0: ids.1]
        arguments["properties"] = RawEmail.state
        if case .whole(let amount) = extent, amount.hasTexts {
            arguments["properties"] = RawEmail.whole
            arguments["bodyProperties"] = RawEmail.bodyProperties
            arguments["fetchTextBodyValues"] = true
            arguments["fetchHTMLBodyValues"] = true
            arguments["maxBodyValueBytes"] = 1_048_576
        }
        return Call("Email/get", id, arguments)
    }

    /// - Parameter asked: what the list should tell of. A message that it passes over in silence is a failure.
    private static func batch(
        _ emails: EmailList, of asked: [String], _ place: FeedCursor
    ) -> ChangeBatch {
        var batch = ChangeBatch(cursor: place.cursor, hasMore: false)
        for id in emails.passedOver(of: asked) where RemoteMessageID(id).isValid {
            batch.failures.append(
                RemoteFailure(id: RemoteMessageID(id), reason: "The service did not hand out the message."))
        }
        for email in emails.list {
            if let message = email.value?.message {
                batch.messages.append(message)
            } else if let id = email.value?.remoteID ?? email.failedID.map({ RemoteMessageID($0) }),
                id.isValid
            {
                batch.failures.append(
                    RemoteFailure(id: id, reason: "The service left out a part of the message."))
            }
        }
        return batch
    }

    /// Mail that the kernel has already is not read again; only its state is.
    private func difference(
        _ page: Page, _ place: FeedCursor, _ round: Round, _ amount: Amount
    ) async throws -> ChangeBatch {
        let found = page.emails.found.filter { $0.remoteID != nil }
        let known = try await round.known.among(found.compactMap(\.remoteID))
        let new = found.filter { !known.contains(RemoteMessageID($0.id)) }.map(\.id)
        let open = page.emails.passedOver(of: page.ids).filter { RemoteMessageID($0).isValid }
        let heard = try await round.known.among(open.map { RemoteMessageID($0) })
        var batch = try await whole(new + open.filter { !heard.contains(RemoteMessageID($0)) }, place, amount)
        batch.updates = found.filter { known.contains(RemoteMessageID($0.id)) }.compactMap(\.update)
        return batch
    }

    private func whole(
        _ ids: [String], _ place: FeedCursor, _ amount: Amount
    ) async throws -> ChangeBatch {
        guard !ids.isEmpty else { return ChangeBatch(cursor: place.cursor, hasMore: false) }
        let list = JSONValue.array(ids.map { .string($0) })
        let answer = try await request([
            get(ids: ("ids", list), .whole(amount), "e", account: place.account)
        ])
        guard let emails = try answer.response("e").emails else {
            throw AccountError.badAnswer("Email/get has no list")
        }
        return Self.batch(emails.sorted(as: ids), of: ids, place)
    }

    // MARK: What is gone

    private func clean(_ start: FeedCursor, _ round: Round, _ size: Int) async throws -> ChangeBatch {
        var place = start
        let ids = try await round.known.after(
            place.last.map { RemoteMessageID($0) }, limit: max(size, 1))
        var batch = ChangeBatch(cursor: start.cursor, hasMore: !ids.isEmpty)
        if ids.isEmpty {
            place = FeedCursor(account: place.account, phase: .current, state: place.state)
        } else {
            batch.removed = try await missing(ids.map(\.rawValue), account: place.account)
            place.last = ids.last?.rawValue
        }
        batch.cursor = place.cursor
        return batch
    }

    /// Those of some messages that no longer exist.
    private func missing(_ ids: [String], account: String) async throws -> [RemoteMessageID] {
        let list = JSONValue.array(ids.map { .string($0) })
        let answer = try await request([
            Call("Email/get", "e", ["accountId": .string(account), "ids": list, "properties": ["id"]])
        ])
        let gone = Set(try answer.response("e").emails?.notFound ?? [])
        return ids.filter(gone.contains).map { RemoteMessageID($0) }
    }

    // MARK: Changes

    private func news(_ start: FeedCursor, _ round: Round, _ amount: Amount) async throws -> ChangeBatch {
        var place = start
        let account = JSONValue.string(place.account)
        let answer = try await request([
            Call(
                "Email/changes", "c",
                [
                    "accountId": account, "sinceState": .string(place.state),
                    "maxChanges": .number(Double(amount.size)),
                ]),
            get(
                ids: ("#ids", Call.result(of: "c", "Email/changes", "/created")), .whole(amount), "n",
                account: place.account),
            get(
                ids: ("#ids", Call.result(of: "c", "Email/changes", "/updated")), .state, "u",
                account: place.account),
        ])
        let changes = try answer.response("c").value
        guard let state = changes["newState"]?.stringValue, FeedCursor.isState(state) else {
            throw AccountError.badAnswer("Email/changes has no newState")
        }
        let hasMore = changes["hasMoreChanges"]?.boolValue ?? false
        guard !hasMore || state != place.state else {
            throw AccountError.badAnswer("Email/changes does not go on")
        }
        let destroyed = (changes["destroyed"]?.arrayValue ?? []).compactMap(\.stringValue)
        let created = try answer.response("n").emails?.newestFirst ?? EmailList()
        let createdIDs = (changes["created"]?.arrayValue ?? []).compactMap(\.stringValue)
        place.state = state
        var batch = Self.batch(created, of: createdIDs, place)
        let gone = Set(destroyed)
        batch.messages.removeAll { message in
            gone.contains(message.id.rawValue) || round.since.map { message.receivedAt < $0 } ?? false
        }
        let updated = try answer.response("u").emails?.found ?? []
        batch.updates = updated.filter { !gone.contains($0.id) }.compactMap(\.update)
        batch.failures.removeAll { gone.contains($0.id.rawValue) }
        batch.removed = gone.map { RemoteMessageID($0) }.filter(\.isValid).sorted()
        if !hasMore { batch.removed += try await lostAdditions(besides: created, gone, place.account) }
        batch.hasMore = hasMore
        batch.cursor = place.cursor
        return batch
    }

    /// Messages that this connection to the account added and another program removed before any sync: the service
    /// need not report those, but the kernel holds them.
    private func lostAdditions(
        besides created: EmailList, _ gone: Set<String>, _ account: String
    ) async throws -> [RemoteMessageID] {
        let open = added.subtracting(created.found.map(\.id)).subtracting(gone).sorted()
        added.subtract(created.found.map(\.id))
        guard !open.isEmpty else { return [] }
        let missing = try await self.missing(Array(open.prefix(500)), account: account)
        added.subtract(open)
        return missing
    }

    /// Remembers a message that this connection to the account added.
    func noteAdded(_ id: String) {
        if added.count < 500 { added.insert(id) }
    }
}

extension EmailList {
    init(_ list: [Lenient<RawEmail>] = [], notFound: [String]? = nil) {
        (state, self.list, self.notFound) = (nil, list, notFound)
    }

    /// Those that are neither in the list nor named as missing.
    func passedOver(of asked: [String]) -> [String] {
        let told = Set(list.compactMap { $0.value?.id ?? $0.failedID }).union(notFound ?? [])
        return asked.filter { !told.contains($0) }
    }

    /// In the order of a query: services answer in any.
    func sorted(as ids: [String]) -> EmailList {
        let places = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        let sorted = list.map { (places[$0.value?.id ?? $0.failedID ?? ""] ?? .max, $0) }
            .filter { $0.0 != .max }.sorted { $0.0 < $1.0 }
        var seen: Set<Int> = []
        return EmailList(sorted.filter { seen.insert($0.0).inserted }.map(\.1), notFound: notFound)
    }

    var newestFirst: EmailList {
        let dated = list.map { ($0.value?.date ?? .distantPast, $0) }
        return EmailList(dated.sorted { $0.0 > $1.0 }.map(\.1), notFound: notFound)
    }
}
