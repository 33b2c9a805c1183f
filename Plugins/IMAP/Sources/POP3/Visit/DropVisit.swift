import FoundationEssentials
import IMAP
import LocalFolders
import MailKernelAPI

/// One visit to the server: fetches what is new, and removes what may leave.
///
/// The order keeps mail safe whenever it is interrupted. A message is stored here, durably and together with its name;
/// then it is marked on the server; QUIT makes the server remove it. A visit that ends earlier removes nothing, and the
/// next one goes on from what is stored.
struct DropVisit: Sendable {
    /// So many messages are stored at a time, or about so many bytes.
    static let batch = 50
    /// The user waits for the first ones.
    private static let firstBatch = 10
    static let batchBytes = 8 << 20

    let configuration: POP3Configuration
    let host: HostServices
    let mail: KeptMail
    /// Called after messages were stored: how many of how many new ones.
    let report: @Sendable (SyncProgress) async -> Void

    /// - Returns: the seconds that the server wants between sign-ins; nil if it does not say.
    func run() async throws(AccountError) -> Double? {
        var connection = try await POP3SignIn(configuration: configuration, host: host).open()
        do throws(AccountError) {
            try await work(&connection)
            let reply = try await connection.talk.ask("QUIT")
            if !reply.isOK {
                host.log.warning("A POP3 server did not remove all messages that may leave it.")
            }
        } catch {
            await connection.close()
            throw connection.explained(error)
        }
        await connection.close()
        return connection.capabilities.loginDelay
    }

    private func work(_ connection: inout POP3Connection) async throws(AccountError) {
        let drop = try await Maildrop(&connection.talk)
        let origins = try await mail.origins()
        let renamings = try await mail.renamings()
        let plan = try VisitPlan(
            drop, origins, configuration.leave, renamings: renamings, at: host.clock.now)
        try await mail.note(plan.changes)
        let verdict = try await Doubts(plan, origins).settle(&connection)
        try await mail.note(verdict.changes)
        let new = verdict.new + plan.new
        let (fetched, added) = try await fetch(new, &connection)
        if fetched >= 3, added == 0, plan.new.count == drop.entries.count, !origins.isEmpty {
            try await mail.note([.renamings(renamings + 1)])
        } else if renamings > 0 {
            try await mail.note([.renamings(0)])
        }
        try await delete(verdict.leaving, &connection)
    }

    // MARK: Fetching

    private func fetch(
        _ entries: [DropEntry], _ connection: inout POP3Connection
    ) async throws(AccountError) -> (fetched: Int, added: Int) {
        var (fetched, added, done) = (0, 0, 0)
        var waiting = entries[...]
        while !waiting.isEmpty {
            let batch = try await next(&waiting, atMost: done == 0 ? Self.firstBatch : Self.batch)
            done = entries.count - waiting.count
            var arrived: [(DropEntry, ArrivedMessage)] = []
            var failure: AccountError?
            do throws(AccountError) {
                try await receive(batch, &connection, into: &arrived)
            } catch {
                failure = error
            }
            // What has come is kept, whatever happened then.
            added += try await mail.keep(arrived.map(\.1), at: host.clock.now)
            fetched += arrived.count
            if !arrived.isEmpty { await report(SyncProgress(done: done, total: entries.count)) }
            if let failure { throw failure }
            guard configuration.leave == .never else { continue }
            try await delete(
                arrived.filter { $1.isWhole && !$0.isAmbiguous }.map(\.0), &connection)
        }
        return (fetched, added)
    }

    /// The next batch. Messages that are too large are passed over, for good.
    private func next(
        _ waiting: inout ArraySlice<DropEntry>, atMost count: Int
    ) async throws(AccountError) -> [DropEntry] {
        var batch: [DropEntry] = []
        var bytes = 0
        while let entry = waiting.first, batch.count < count {
            if entry.size > configuration.largestMessage {
                try await skip(entry)
            } else {
                guard batch.isEmpty || bytes + entry.size <= Self.batchBytes else { break }
                batch.append(entry)
                bytes += entry.size
            }
            waiting = waiting.dropFirst()
        }
        return batch
    }

    private func skip(_ entry: DropEntry) async throws(AccountError) {
        let limit = configuration.largestMessage >> 20
        host.log.warning("A message of more than \(public: limit) MB stays on a POP3 server and is not read.")
        try await mail.note([.skipped(entry.name, size: entry.size, at: host.clock.now)])
    }

    private func receive(
        _ batch: [DropEntry], _ connection: inout POP3Connection,
        into arrived: inout [(DropEntry, ArrivedMessage)]
    ) async throws(AccountError) {
        let isAhead = connection.capabilities.has("PIPELINING")
        if isAhead { try await connection.talk.say(batch.map { "RETR \($0.number)" }) }
        for entry in batch {
            if !isAhead { try await connection.talk.say("RETR \(entry.number)") }
            let reply = try await connection.talk.reply()
            guard reply.isOK else {
                let error = reply.error(from: connection.talk.endpoint)
                if error.concernsWholeAccount { throw error }
                // It stays on the server, and the next visit tries again.
                host.log.warning("A POP3 server did not give out a message.")
                continue
            }
            arrived.append((entry, try await receive(entry, &connection.talk)))
        }
    }

    private func receive(
        _ entry: DropEntry, _ talk: inout POP3Talk
    ) async throws(AccountError) -> ArrivedMessage {
        let arrival = try await mail.begin(entry.name, statedSize: entry.size)
        do throws(AccountError) {
            let size = try await talk.message(upTo: configuration.largestMessage) {
                bytes throws(AccountError) in
                try await arrival.write(bytes)
            }
            guard let size else {
                try await skip(entry)
                throw AccountError.badAnswer("a message is larger than any that is read")
            }
            let date = ArrivalDate.of(
                received: try await arrival.field("Received"), sent: try await arrival.field("Date"),
                now: host.clock.now)
            return ArrivedMessage(
                arrival, receivedAt: date, isWhole: Self.isWhole(size, stated: entry.size))
        } catch {
            arrival.discard()
            throw error
        }
    }

    /// Servers count line ends in different ways, but what is clearly less than stated is not all of it.
    static func isWhole(_ size: Int, stated: Int) -> Bool {
        size > 0 && size >= stated - min(1_024, stated / 10)
    }

    // MARK: Removing

    private func delete(
        _ entries: [DropEntry], _ connection: inout POP3Connection
    ) async throws(AccountError) {
        let isAhead = connection.capabilities.has("PIPELINING")
        for batch in entries.slices(of: Self.batch) {
            if isAhead { try await connection.talk.say(batch.map { "DELE \($0.number)" }) }
            for entry in batch {
                if !isAhead { try await connection.talk.say("DELE \(entry.number)") }
                let reply = try await connection.talk.reply()
                if !reply.isOK { host.log.warning("A POP3 server did not mark a message for removal.") }
            }
        }
    }
}
