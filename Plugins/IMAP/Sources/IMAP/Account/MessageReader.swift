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
    let behaviour: IMAPBehaviour
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
            let size = outlines[uid].map { min($0.size, behaviour.textLimit) } ?? 0
            if batch.taken > 0, bytes + size > behaviour.batchBytes { break }
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
        func isSmall(_ uid: UInt32) -> Bool { (outlines[uid]?.size ?? 0) <= behaviour.wholeMessageLimit }
        var contents: [UInt32: RemoteMessage.Content] = [:]
        let small = uids.filter(isSmall)
        for (uid, message) in try await fetch(
            small, "UID BODY.PEEK[]", &batch,
            isComplete: { message in
                guard let bytes = message.section("")?.bytes else { return false }
                // Nothing at all is a message too, if it is said to be one.
                return !bytes.isEmpty || message.uid.flatMap { outlines[$0]?.size } == 0
            })
        {
            if let bytes = message.section("")?.bytes { contents[uid] = .whole(bytes) }
        }
        let large = uids.filter { !isSmall($0) }
        let described = try await fetch(
            large, "UID BODYSTRUCTURE BODY.PEEK[HEADER]", &batch,
            isComplete: { $0.section("HEADER")?.bytes != nil })
        for (uid, message) in described {
            contents[uid] = try await parts(uid, message, outlines[uid]?.size ?? 0, &batch)
        }
        return contents
    }

    private func parts(
        _ uid: UInt32, _ message: FetchResponse, _ size: Int, _ batch: inout ReadBatch
    ) async throws(AccountError) -> RemoteMessage.Content? {
        guard let header = message.section("HEADER")?.bytes else { return nil }
        guard let structure = message.bodyStructure else {
            return try await wholeOrNothing(uid, size, &batch)
        }
        var root = RemoteBodyPart(structure)
        let texts = root.texts
        guard !texts.isEmpty else { return .parts(header: header, structure: root) }
        let limit = behaviour.textLimit
        let items = texts.map { part in
            part.size > limit ? "BODY.PEEK[\(part.partID)]<0.\(limit)>" : "BODY.PEEK[\(part.partID)]"
        }
        let told = try await fetchParts(uid, items.joined(separator: " "), &root)
        for (part, item) in zip(texts, items) where !told.contains(part.partID) {
            guard try await !fetchParts(uid, item, &root).contains(part.partID) else { continue }
            // The message is shown without it, and says so.
            root.setBytes(Data(), of: part.partID, limit: limit)
            root.cut(part.partID)
        }
        return .parts(header: header, structure: root)
    }

    /// Fetches texts into a structure, and returns the parts that the server told of.
    private func fetchParts(
        _ uid: UInt32, _ items: String, _ root: inout RemoteBodyPart
    ) async throws(AccountError) -> Set<String> {
        let answer = try await connection.perform(.fetch(UIDSet([uid]), "UID " + items))
        if !answer.isOK, answer.error.isThrottling, !answer.isServerBug { throw answer.error }
        let sections = answer.fetched.filter { $0.uid == uid }.flatMap(\.sections)
        for section in sections {
            root.setBytes(section.bytes ?? Data(), of: section.name, limit: behaviour.textLimit)
        }
        return Set(sections.map(\.name))
    }

    /// A structure that is not understood leaves the message itself, unless it is too large for that.
    private func wholeOrNothing(
        _ uid: UInt32, _ size: Int, _ batch: inout ReadBatch
    ) async throws(AccountError) -> RemoteMessage.Content? {
        guard size <= 4 * behaviour.textLimit else {
            batch.failures.append(
                RemoteFailure(id: id(uid), reason: "The server's description of it was not understood."))
            return nil
        }
        let found = try await fetch(
            [uid], "UID BODY.PEEK[]", &batch, isComplete: { $0.section("")?.bytes != nil })
        return found[uid]?.section("")?.bytes.map { .whole($0) }
    }

    // MARK: Asking

    /// Fetches items of many messages at once. Where that goes wrong, of each that is missing alone: what
    /// cannot be read even so is a failure, what is not there was deleted meanwhile.
    private func fetch(
        _ uids: [UInt32], _ items: String, _ batch: inout ReadBatch,
        isComplete: (FetchResponse) -> Bool
    ) async throws(AccountError) -> [UInt32: FetchResponse] {
        guard !uids.isEmpty else { return [:] }
        let set = UIDSet(uids)
        let answer = try await connection.perform(.fetch(set, items))
        var found: [UInt32: FetchResponse] = [:]
        for message in answer.fetched {
            if let uid = message.uid, set.contains(uid), isComplete(message) { found[uid] = message }
        }
        guard found.count < uids.count else { return found }
        var missing = uids.filter { found[$0] == nil }
        if answer.isOK, answer.completion.malformed == 0, answer.fetched.count <= found.count {
            // What the server does not tell of is gone; it says so, or has left out what is there.
            let unheard = UIDSet(missing)
            missing = try await connection.search { $0.raw("UID").raw(unheard.wire) }
                .filter(unheard.contains)
        } else if answer.error.isThrottling, !answer.isServerBug {
            throw answer.error
        }
        let failuresBefore = batch.failures.count
        for uid in missing.sorted(by: >) {
            if let message = try await fetchAlone(uid, items, &batch, isComplete) { found[uid] = message }
        }
        // If it says the same of all, it is not the messages.
        if answer.isServerBug, uids.count > 1, batch.failures.count - failuresBefore == uids.count {
            batch.failures.removeLast(uids.count)
            throw answer.error
        }
        return found
    }

    private func fetchAlone(
        _ uid: UInt32, _ items: String, _ batch: inout ReadBatch, _ isComplete: (FetchResponse) -> Bool
    ) async throws(AccountError) -> FetchResponse? {
        let answer = try await connection.perform(.fetch(UIDSet([uid]), items))
        let its = answer.fetched.filter { $0.uid == uid }
        if let message = its.first(where: isComplete) { return message }
        let reason: String
        if !answer.isOK {
            if answer.error.isThrottling, !answer.isServerBug { throw answer.error }
            reason = answer.completion.status.shownText
        } else if answer.completion.malformed > 0 || !its.isEmpty {
            reason = "The server's answer was not understood."
        } else {
            // Gone a moment ago, or hidden from us: it is looked for again.
            reason = "The server says nothing about it."
        }
        batch.failures.append(RemoteFailure(id: id(uid), reason: reason))
        return nil
    }
}

extension IMAPConnection.Result {
    /// The server has failed at this, and does not say that it would fail at anything else.
    fileprivate var isServerBug: Bool { !isOK && completion.status.word == "SERVERBUG" }
}

extension AccountError {
    var isThrottling: Bool { if case .throttled = self { true } else { false } }
}
