import FoundationEssentials
import MailKernelAPI
import Synchronization

extension JMAPAccountSession {
    /// Seconds between two questions where the service has no event source.
    private static let pollPause = 30.0

    nonisolated func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        AsyncThrowingStream { continuation in
            let id = UUID()
            let task = Task {
                do throws(AccountError) {
                    try await self.listen { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
                await self.forget(id)
            }
            Task { await self.note(task, id) }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func listen(_ report: @escaping @Sendable (WatchEvent) -> Void) async throws(AccountError) {
        try await meaningful {
            let resource = try await resource()
            if let url = try resource.events() {
                let events = EventSink(account: resource.accountID, report: report)
                let isThere = try await wire.listen(at: url, into: events) { report(.listening) }
                if isThere {
                    if Task.isCancelled { throw AccountError.cancelled }
                    throw AccountError.unreachable(
                        host: serverName, reason: "The service ended the connection.")
                }
            }
            try await poll(resource, report)
        }
    }

    /// Asks for the states again and again: the service cannot report changes.
    private func poll(
        _ resource: Resource, _ report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws {
        var last = try await states(resource)
        report(.listening)
        while true {
            try await wire.clock.sleep(for: Self.pollPause)
            let now = try await states(resource)
            if now.mailboxes != last.mailboxes { report(.mailboxesChanged) }
            if now.emails != last.emails { report(.changed(Self.feed)) }
            last = now
        }
    }

    private func states(_ resource: Resource) async throws -> (emails: String?, mailboxes: String?) {
        let arguments: [String: JSONValue] = [
            "accountId": .string(resource.accountID), "ids": [], "properties": ["id"],
        ]
        let answer = try await request([
            Call("Email/get", "e", arguments), Call("Mailbox/get", "m", arguments),
        ])
        return (try answer.response("e").emails?.state, try answer.response("m").value["state"]?.stringValue)
    }
}

/// Reads server-sent events, of which only state changes of one account count.
actor EventSink: ByteSink {
    struct TooLong: Error {}
    private static let limit = 262_144

    private let account: String
    private let report: @Sendable (WatchEvent) -> Void
    private var line = Data()
    private var data = ""
    private var states: [String: String] = [:]

    init(account: String, report: @escaping @Sendable (WatchEvent) -> Void) {
        self.account = account
        self.report = report
    }

    func write(_ bytes: Data) throws {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.limit else { throw TooLong() }
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            try take(String(decoding: line, as: UTF8.self))
            line.removeAll(keepingCapacity: true)
        }
    }

    private func take(_ line: String) throws {
        guard !line.isEmpty else {
            if !data.isEmpty { event(data) }
            data = ""
            return
        }
        guard line.hasPrefix("data:") else { return }
        guard data.utf8.count + line.utf8.count <= Self.limit else { throw TooLong() }
        data += line.dropFirst(5)
    }

    private func event(_ text: String) {
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            let changed = json["changed"]?[account]?.objectValue
        else { return }
        var isChanged = false
        for (type, state) in changed {
            let state = state.stringValue ?? ""
            guard states[type] != state || state.isEmpty else { continue }
            states[type] = state
            if type == "Mailbox" { report(.mailboxesChanged) }
            if type == "Email" || type == "EmailDelivery" { isChanged = true }
        }
        if isChanged { report(.changed(JMAPAccountSession.feed)) }
    }
}
