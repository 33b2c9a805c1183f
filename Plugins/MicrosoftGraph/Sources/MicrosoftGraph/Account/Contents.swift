import FoundationEssentials
import MailKernelAPI
import WebCalls

/// What was read of some messages.
struct Contents: Sendable {
    var messages: [RemoteMessage] = []
    var failures: [RemoteFailure] = []
    /// Messages that are gone, and count as read.
    var gone: Set<String> = []
    /// Ids of those that are still to be read.
    var open: Set<String> = []
    /// Why reading stopped; nil if nothing is open.
    var stop: AccountError?

    /// Whether anything is not open any more.
    var isSome: Bool { !messages.isEmpty || !failures.isEmpty || !gone.isEmpty }
}

/// What became of one message.
enum Reading: Sendable {
    case read(RemoteMessage)
    case gone
    /// Microsoft hands it out neither as a whole nor in parts.
    case unreadable(GraphFailure)
    /// Not now.
    case stopped(GraphFailure)
}

extension GraphAccountSession {
    /// Larger messages are read without their attachments.
    static let wholeLimit = 524_288
    /// What a batch may weigh, as Exchange counts it.
    private static let batchLimit = 8 * 1_024 * 1_024
    /// A message that cannot be read is passed over after so many tries within at least so many seconds; many at once
    /// are rather a failure of the service, which is given a day.
    private static let mostTries = 3
    private static let patience = 600.0
    private static let longPatience = 86_400.0

    /// Reads messages with what is in them, newest first.
    func contents(
        of messages: [RawMessage], in folder: String, pageSize: Int
    ) async throws -> Contents {
        var readings: [String: Reading] = [:]
        var rest = Self.batches(messages)[...]
        var isStopped = false
        await withTaskGroup(of: [(String, Reading)].self) { group in
            for _ in 0..<width {
                if let batch = rest.popFirst() { group.addTask { await self.read(batch, in: folder) } }
            }
            for await part in group {
                for (id, reading) in part {
                    readings[id] = reading
                    if case .stopped = reading { isStopped = true }
                }
                if !isStopped, !Task.isCancelled, let batch = rest.popFirst() {
                    group.addTask { await self.read(batch, in: folder) }
                }
            }
        }
        if Task.isCancelled { throw AccountError.cancelled }
        adjustWidth(readings)
        return sorted(messages, readings, pageSize)
    }

    private func sorted(
        _ messages: [RawMessage], _ readings: [String: Reading], _ pageSize: Int
    ) -> Contents {
        let unreadable = readings.values.count { if case .unreadable = $0 { true } else { false } }
        let patience = unreadable <= max(3, pageSize / 10) ? Self.patience : Self.longPatience
        var contents = Contents()
        var stop: GraphFailure?
        for message in messages {
            switch readings[message.id] {
            case .read(let read):
                contents.messages.append(read)
                stubborn[message.id] = nil
            case .gone: contents.gone.insert(message.id)
            case .unreadable(let failure):
                // One that is never handed out must not keep the others back for ever.
                if isGivenUp(message.id, after: patience) {
                    let reason = "The service did not hand it out: \(failure.brief)"
                    contents.failures.append(RemoteFailure(id: RemoteMessageID(message.id), reason: reason))
                } else {
                    contents.open.insert(message.id)
                    stop = stop ?? failure
                }
            case .stopped(let failure):
                contents.open.insert(message.id)
                stop = failure
            case nil: contents.open.insert(message.id)
            }
        }
        if !contents.open.isEmpty {
            let failure = stop ?? .unreadable
            contents.stop = failure.meaning(host: place.host, now: wire.clock.now)
        }
        return contents
    }

    private func isGivenUp(_ id: String, after patience: Double) -> Bool {
        let now = wire.clock.now
        var own = stubborn[id] ?? (first: now, tries: 0)
        own.tries += 1
        let isGivenUp = own.tries >= Self.mostTries && now.timeIntervalSince(own.first) >= patience
        if isGivenUp { stubborn[id] = nil } else if stubborn.count < 5_000 { stubborn[id] = own }
        return isGivenUp
    }

    /// Fewer at a time while Microsoft finds them too many, and slowly more again.
    private func adjustWidth(_ readings: [String: Reading]) {
        let isThrottled = readings.values.contains {
            if case .stopped(let failure) = $0 { failure.isThrottling } else { false }
        }
        calmPages = isThrottled ? 0 : calmPages + 1
        if isThrottled { width = max(1, width / 2) }
        if calmPages >= 50 { (width, calmPages) = (min(width + 1, GraphWire.mostRequests), 0) }
    }

    private static func batches(_ messages: [RawMessage]) -> [[RawMessage]] {
        var batches: [[RawMessage]] = []
        var batch: [RawMessage] = []
        var weight = 0
        for message in messages {
            let own = min(message.size ?? 65_536, wholeLimit)
            if batch.count == Subrequest.most || (weight + own > batchLimit && !batch.isEmpty) {
                batches.append(batch)
                (batch, weight) = ([], 0)
            }
            batch.append(message)
            weight += own
        }
        return batch.isEmpty ? batches : batches + [batch]
    }

    // MARK: A batch

    private func read(_ messages: [RawMessage], in folder: String) async -> [(String, Reading)] {
        let requests = messages.map { message in
            Self.isLarge(message)
                ? ParsedMessage.request(place.message(message.id))
                : Subrequest(path: place.message(message.id) + "/$value")
        }
        let replies: [Reply]
        do throws(GraphFailure) {
            replies = try await wire.batch(requests, purpose: "read mail")
        } catch {
            guard error.isAboutSize else { return messages.map { ($0.id, .stopped(error)) } }
            guard messages.count > 1 else {
                return [(messages[0].id, await otherwise(messages[0], error, in: folder))]
            }
            // Half at a time, in the end one by one.
            let half = messages.count / 2
            let first = await read(Array(messages[..<half]), in: folder)
            return first + (await read(Array(messages[half...]), in: folder))
        }
        var readings: [(String, Reading)] = []
        for (message, reply) in zip(messages, replies) {
            readings.append((message.id, await reading(of: message, reply, in: folder)))
        }
        return readings
    }

    private static func isLarge(_ message: RawMessage) -> Bool { (message.size ?? 0) > wholeLimit }

    private func reading(of message: RawMessage, _ reply: Reply, in folder: String) async -> Reading {
        switch reply {
        case .bytes(let bytes) where !bytes.isEmpty:
            return .read(message.remote(in: folder, size: bytes.count, .whole(bytes)))
        case .json(let json) where Self.isLarge(message):
            if let parsed = ParsedMessage(json) {
                let size = max(message.size ?? parsed.size, 1)
                return .read(message.remote(in: folder, size: size, .parsed(parsed.body)))
            }
            // Sent messages have no header fields here.
            return await whole(message, in: folder)
        case .refused(let refusal) where refusal.isNotFound: return .gone
        case .refused(let refusal) where refusal.isThrottling || [401, 403].contains(refusal.status):
            return .stopped(.status(refusal))
        case .refused(let refusal): return await otherwise(message, .status(refusal), in: folder)
        case .bytes, .json, .missing: return await otherwise(message, .unreadable, in: folder)
        }
    }

    /// A message that could not be read in the usual way, in the other way.
    private func otherwise(_ message: RawMessage, _ failure: GraphFailure, in folder: String) async -> Reading
    {
        if Self.isLarge(message) { return await whole(message, in: folder) }
        do throws(GraphFailure) {
            let request = ParsedMessage.request(place.message(message.id))
            let json = try await wire.batch([request], purpose: "read mail").first?.success()
            guard let parsed = json.flatMap({ ParsedMessage($0) }) else { return .unreadable(failure) }
            let size = max(message.size ?? parsed.size, 1)
            return .read(message.remote(in: folder, size: size, .parsed(parsed.body)))
        } catch {
            if error.isNotFound { return .gone }
            return error.isThrottling || error.isConnectionLoss ? .stopped(error) : .unreadable(failure)
        }
    }

    private func whole(_ message: RawMessage, in folder: String) async -> Reading {
        let sink = Collector(limit: 200 * 1_024 * 1_024)
        do throws(GraphFailure) {
            try await wire.download(place.message(message.id) + "/$value", into: sink)
            let bytes = await sink.bytes
            guard !bytes.isEmpty else { return .unreadable(.unreadable) }
            return .read(message.remote(in: folder, size: bytes.count, .whole(bytes)))
        } catch {
            if error.isNotFound { return .gone }
            return error.isThrottling || error.isConnectionLoss ? .stopped(error) : .unreadable(error)
        }
    }
}

extension RawMessage {
    func remote(in folder: String, size: Int, _ content: RemoteMessage.Content) -> RemoteMessage {
        RemoteMessage(
            id: RemoteMessageID(id), mailboxIDs: [RemoteMailboxID(folder)],
            keywords: Marks.keywords(of: self),
            receivedAt: date ?? .distantPast, size: size, content: content)
    }
}

extension GraphFailure {
    var isConnectionLoss: Bool { if case .network = self { true } else { false } }

    /// For the log: nothing of the message.
    fileprivate var brief: String {
        switch self {
        case .status(let refusal): "HTTP \(refusal.status) \(refusal.code)"
        case .tooLarge: "too large"
        case .unreadable: "no answer that can be read"
        case .network, .account: "the connection failed"
        }
    }
}
