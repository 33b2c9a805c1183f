import FoundationEssentials
import MailKernelAPI

/// A message that was read, before it is known in which mailboxes it is.
struct ReadMessage: Sendable {
    let id: RemoteMessageID
    let labels: [String]
    let keywords: Set<Keyword>
    let receivedAt: Date
    let size: Int
    let content: RemoteMessage.Content
}

struct ReadBatch: Sendable {
    /// The newest first.
    var messages: [ReadMessage] = []
    var failures: [RemoteFailure] = []
    /// How many of the UIDs that were given have been dealt with, and the lowest of them.
    var taken = 0
    var lowest: UInt32?
}

/// Reads messages in few round trips: small ones as a whole, of large ones the header and the text.
struct MessageReader: Sendable {
    let connection: IMAPConnection
    let behavior: IMAPBehavior
    let validity: UInt32
    let round: FeedRound
    /// When messages came whose date is not one.
    let now: Date

    private struct Outline {
        let flags: [String]
        let labels: [String]
        let date: Date
        let size: Int
    }

    /// Reads the first of `uids`, which descend, as many as make a batch.
    func read(_ uids: [UInt32]) async throws(AccountError) -> ReadBatch {
        guard !uids.isEmpty else { return ReadBatch() }
        var batch = ReadBatch()
        let outlines = try await outlines(uids, &batch)
        var bytes = 0
        for uid in uids {
            // Of a large message the text is fetched, which may be nearly all of it.
            let size = outlines[uid].map { min($0.size, behavior.textLimit) } ?? 0
            if batch.taken > 0, bytes + size > behavior.batchBytes { break }
            bytes += size
            batch.taken += 1
            batch.lowest = uid
        }
        let wanted = uids.prefix(batch.taken).filter { uid in
            guard let outline = outlines[uid] else { return false }
            return round.since.map { outline.date >= $0 } ?? true
        }
        let contents = try await contents(wanted, outlines, &batch)
        batch.messages = wanted.compactMap { uid in
            guard let outline = outlines[uid], let content = contents[uid] else { return nil }
            return ReadMessage(
                id: id(uid), labels: outline.labels, keywords: KeywordFlags.keywords(outline.flags),
                receivedAt: outline.date, size: outline.size, content: content)
        }
        return batch
    }

    /// As if it had been read, and had failed.
    func passingBy(_ uid: UInt32, because reason: String) -> ReadBatch {
        ReadBatch(failures: [RemoteFailure(id: id(uid), reason: reason)], taken: 1, lowest: uid)
    }

    private func id(_ uid: UInt32) -> RemoteMessageID { MessageUID(validity: validity, uid: uid).id }

    // MARK: What there is

    private func outlines(
        _ uids: [UInt32], _ batch: inout ReadBatch
    ) async throws(AccountError) -> [UInt32: Outline] {
        let items = "UID FLAGS INTERNALDATE RFC822.SIZE" + (round.hasLabels ? " X-GM-LABELS" : "")
        var outlines: [UInt32: Outline] = [:]
        for (uid, message) in try await fetch(uids, items, &batch, isComplete: { $0.size != nil }) {
            guard let size = message.size else { continue }
            outlines[uid] = Outline(
                flags: message.flags ?? [], labels: message.gmailLabels ?? [],
                date: message.internalDate ?? now, size: Int(clamping: size))
        }
        return outlines
    }

    // MARK: What is in them

    private func contents(
        _ uids: [UInt32], _ outlines: [UInt32: Outline], _ batch: inout ReadBatch
    ) async throws(AccountError) -> [UInt32: RemoteMessage.Content] {
        func isSmall(_ uid: UInt32) -> Bool { (outlines[uid]?.size ?? 0) <= behavior.wholeMessageLimit }
        var contents: [UInt32: RemoteMessage.Content] = [:]
        let small = uids.filter(isSmall)
        for (uid, message) in try await fetch(
            small, "UID BODY.PEEK[]", &batch, most: allowance(small, outlines),
            isComplete: { message in
                guard let bytes = message.section("")?.bytes else { return false }
                // An empty message is valid if the server says it is empty.
                return !bytes.isEmpty || message.uid.flatMap { outlines[$0]?.size } == 0
            })
        {
            if let bytes = message.section("")?.bytes { contents[uid] = .whole(bytes) }
        }
        let large = uids.filter { !isSmall($0) }
        let described = try await fetch(
            large, "UID BODYSTRUCTURE BODY.PEEK[HEADER]", &batch, most: allowance(large, outlines),
            isComplete: { $0.section("HEADER")?.bytes != nil })
        var messages: [LargeMessage] = []
        for (uid, message) in described {
            guard let header = message.section("HEADER")?.bytes else { continue }
            if let structure = message.bodyStructure {
                messages.append(LargeMessage(uid: uid, header: header, root: RemoteBodyPart(structure)))
            } else {
                contents[uid] = try await wholeOrNothing(uid, outlines[uid]?.size ?? 0, &batch)
            }
        }
        for message in try await withTexts(messages) {
            contents[message.uid] = .parts(header: message.header, structure: message.root)
        }
        return contents
    }

    private func allowance(_ uids: [UInt32], _ outlines: [UInt32: Outline]) -> Int {
        Allowance.bodies(uids.map { outlines[$0]?.size ?? 0 })
    }

    /// A message of which only the header and the texts are fetched.
    private struct LargeMessage {
        let uid: UInt32
        let header: Data
        var root: RemoteBodyPart
    }

    /// This many commands can be in transit before the responses are read.
    private static let commandsAtOnce = 25

    /// Fetches the texts, of many messages in one round trip.
    private func withTexts(_ messages: [LargeMessage]) async throws(AccountError) -> [LargeMessage] {
        var messages = messages
        let wanted = messages.indices.filter { !messages[$0].root.texts.isEmpty }
        for some in wanted.slices(of: Self.commandsAtOnce) {
            let told = try await sections(some.map { (messages[$0].uid, messages[$0].root.texts) })
            for index in some { try await set(told[messages[index].uid] ?? [], in: &messages[index]) }
        }
        return messages
    }

    private func item(_ part: RemoteBodyPart) -> String {
        let limit = behavior.textLimit
        return part.size > limit ? "BODY.PEEK[\(part.partID)]<0.\(limit)>" : "BODY.PEEK[\(part.partID)]"
    }

    /// Adds the texts to a message. Missing ones are requested again, separately.
    private func set(
        _ sections: [FetchResponse.Section], in message: inout LargeMessage
    ) async throws(AccountError) {
        let limit = behavior.textLimit
        var sections = sections
        for part in message.root.texts where !sections.contains(where: { $0.name == part.partID }) {
            let again = try await self.sections([(message.uid, [part])])[message.uid] ?? []
            sections += again
            guard !again.contains(where: { $0.name == part.partID }) else { continue }
            // The message is shown without this part, with a note.
            message.root.setBytes(Data(), of: part.partID, limit: limit)
            message.root.cut(part.partID)
        }
        for section in sections {
            message.root.setBytes(section.bytes ?? Data(), of: section.name, limit: limit)
        }
    }

    /// Fetches parts of messages, a different part for each.
    private func sections(
        _ wanted: [(uid: UInt32, parts: [RemoteBodyPart])]
    ) async throws(AccountError) -> [UInt32: [FetchResponse.Section]] {
        let commands = wanted.map { uid, parts in
            Command.fetch(UIDSet([uid]), "UID " + parts.map(item).joined(separator: " "))
        }
        let sizes = wanted.flatMap(\.parts).map { min($0.size, behavior.textLimit) }
        let answers = try await connection.perform(commands, most: Allowance.bodies(sizes))
        for answer in answers where answer.isOfTheMoment { throw answer.readingError }
        return answers.flatMap(\.fetched).reduce(into: [:]) { told, message in
            if let uid = message.uid { told[uid, default: []] += message.sections }
        }
    }

    /// A structure that is not understood leaves the message itself, unless it is too large for that.
    private func wholeOrNothing(
        _ uid: UInt32, _ size: Int, _ batch: inout ReadBatch
    ) async throws(AccountError) -> RemoteMessage.Content? {
        guard size <= 4 * behavior.textLimit else {
            batch.failures.append(
                RemoteFailure(id: id(uid), reason: "The server's description of the message is invalid."))
            return nil
        }
        let found = try await fetch(
            [uid], "UID BODY.PEEK[]", &batch, most: Allowance.bodies([size]),
            isComplete: { $0.section("")?.bytes != nil })
        return found[uid]?.section("")?.bytes.map { .whole($0) }
    }

    // MARK: Asking

    /// Fetches items of many messages at once. If this fails, missing ones are fetched separately: those that
    /// still cannot be read are failures, and those that are missing were deleted.
    private func fetch(
        _ uids: [UInt32], _ items: String, _ batch: inout ReadBatch, most: Int? = nil,
        isComplete: (FetchResponse) -> Bool
    ) async throws(AccountError) -> [UInt32: FetchResponse] {
        guard !uids.isEmpty else { return [:] }
        let set = UIDSet(uids)
        let answer = try await connection.fetch(set, items, most: most)
        var found: [UInt32: FetchResponse] = [:]
        for message in answer.fetched {
            if let uid = message.uid, set.contains(uid), isComplete(message) { found[uid] = message }
        }
        guard found.count < uids.count else { return found }
        var missing = uids.filter { found[$0] == nil }
        if answer.isOK, answer.completion.malformed == 0, answer.fetched.count <= found.count {
            // Messages missing from the response are gone, or were omitted by mistake.
            let unheard = UIDSet(missing)
            missing = try await connection.search { $0.raw("UID").raw(unheard.wire) }
                .filter(unheard.contains)
        } else if answer.isOfTheMoment {
            throw answer.readingError
        }
        let failuresBefore = batch.failures.count
        for uid in missing.sorted(by: >) {
            if let message = try await fetchAlone(uid, items, &batch, most, isComplete) {
                found[uid] = message
            }
        }
        // If it says the same of all, it is not the messages.
        let isOfNone = answer.isServerBug && uids.count > 1 || answer.isLimit
        if isOfNone, batch.failures.count - failuresBefore == uids.count {
            batch.failures.removeLast(uids.count)
            throw answer.readingError
        }
        return found
    }

    private func fetchAlone(
        _ uid: UInt32, _ items: String, _ batch: inout ReadBatch, _ most: Int?,
        _ isComplete: (FetchResponse) -> Bool
    ) async throws(AccountError) -> FetchResponse? {
        let answer = try await connection.perform(.fetch(UIDSet([uid]), items), most: most)
        let its = answer.fetched.filter { $0.uid == uid }
        if let message = its.first(where: isComplete) { return message }
        let reason: String
        if !answer.isOK {
            if answer.isOfTheMoment { throw answer.readingError }
            reason = answer.completion.status.shownText
        } else if answer.completion.malformed > 0 || !its.isEmpty {
            reason = "The server's response is invalid."
        } else {
            // Gone a moment ago, or hidden from us: it is looked for again.
            reason = "The server returned no data for the message."
        }
        batch.failures.append(RemoteFailure(id: id(uid), reason: reason))
        return nil
    }
}

extension IMAPConnection.Result {
    /// The server has failed at this, and does not say that it would fail at anything else.
    fileprivate var isServerBug: Bool { !isOK && completion.status.word == "SERVERBUG" }

    /// It was too much, or one of them was.
    fileprivate var isLimit: Bool { !isOK && completion.status.word == "LIMIT" }

    /// Nothing is wrong with the messages: they are waited for.
    fileprivate var isOfTheMoment: Bool {
        guard !isOK, !isServerBug else { return false }
        return error.isThrottling || completion.status.word == "INUSE"
    }

    /// What concerns the account, or else this mailbox in the server's words.
    fileprivate var readingError: AccountError {
        error.isThrottling ? error : .refused(completion.status.shownText)
    }
}

extension AccountError {
    var isThrottling: Bool { if case .throttled = self { true } else { false } }
}
