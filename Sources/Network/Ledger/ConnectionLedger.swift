public import FoundationEssentials
import Glibc
import Synchronization

/// The list of all connections, kept for 30 days in a folder that only the user can read.
///
/// A connection is recorded before its first byte is sent, and before its host is looked up: if that fails,
/// the connection is not made. Written entries survive the end of the program. Several processes can use the
/// same folder.
public final class ConnectionLedger: Sendable {
    private struct State {
        var day = ""
        var descriptor: CInt = -1
        var count = 0
        var isLineOpen = false
        var open: [String: ConnectionEntry] = [:]
        var listeners: [Int: AsyncStream<ConnectionEntry>.Continuation] = [:]
        var lastListener = 0
    }

    /// A connection that is in the list and has not ended.
    struct Ticket: Sendable {
        let entry: ConnectionEntry
    }

    private let folder: LedgerFolder
    private let now: @Sendable () -> Date
    private let prefix: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: where it is kept; made when it is needed.
    ///   - now: the clock that entries are written by.
    public init(folder: URL, now: @escaping @Sendable () -> Date = { Date() }) {
        self.folder = LedgerFolder(url: folder)
        self.now = now
        prefix = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            for listener in state.listeners.values { listener.finish() }
        }
    }

    /// The connections of this process that are open, newest first.
    public var open: [ConnectionEntry] {
        state.withLock { $0.open.values.sorted { ($0.start, $0.id) > ($1.start, $1.id) } }
    }

    /// Every connection when it begins and again when it has ended, from now on.
    public func news() -> AsyncStream<ConnectionEntry> {
        let (stream, listener) = AsyncStream.makeStream(
            of: ConnectionEntry.self, bufferingPolicy: .bufferingNewest(1_000))
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            return state.lastListener
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Removes entries older than 30 days. Also called at the start of each day.
    public func prune() {
        folder.prune(at: now())
    }

    func begin(
        plugin: String, host: String, port: Int, purpose: String, proxy: String?
    ) throws(LedgerError) -> Ticket {
        let (ticket, listeners) = try state.withLock { state throws(LedgerError) in
            state.count += 1
            let date = now()
            let line = LedgerLine.Beginning(
                connection: "\(prefix)-\(state.count)", process: .current, began: date, plugin: plugin,
                host: host, port: port, purpose: Self.shown(purpose), proxy: proxy)
            try write(.began(line), at: date, &state)
            let entry = ConnectionEntry(line)
            state.open[entry.id] = entry
            return (Ticket(entry: entry), Array(state.listeners.values))
        }
        // Outside the lock, because a listener that is canceled takes it.
        for listener in listeners { listener.yield(ticket.entry) }
        return ticket
    }

    /// - Parameters:
    ///   - more: what else it was used for.
    ///   - problem: why it came to nothing or broke.
    func end(_ ticket: Ticket, received: Int, sent: Int, requests: Int, more: [String], problem: String?) {
        var purposes = ticket.entry.purposes
        for purpose in more.map(Self.shown) where !purposes.contains(purpose) { purposes.append(purpose) }
        let line = LedgerLine.Ending(
            connection: ticket.entry.id, ended: now(), received: received, sent: sent, requests: requests,
            purposes: purposes, problem: problem.map(Self.shown))
        let (entry, listeners) = state.withLock { state in
            // Without its end the connection is listed as interrupted, which is true of the list.
            try? write(.ended(line), at: line.ended, &state)
            state.open[ticket.entry.id] = nil
            var entry = ticket.entry
            entry.end(line)
            return (entry, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield(entry) }
    }

    private func write(_ line: LedgerLine, at date: Date, _ state: inout State) throws(LedgerError) {
        try openFile(for: date, &state)
        guard var bytes = try? LedgerFolder.encode(line) else {
            throw LedgerError(reason: "a line is not JSON")
        }
        bytes.append(UInt8(ascii: "\n"))
        // What a full disk cut off must not take the next line with it.
        if state.isLineOpen { bytes.insert(UInt8(ascii: "\n"), at: 0) }
        let count = bytes.withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else {
            let reason = count < 0 ? String(cString: strerror(errno)) : "the disk is full"
            if count > 0 { state.isLineOpen = true }
            throw LedgerError(reason: "\(folder.path(of: state.day)): \(reason)")
        }
        state.isLineOpen = false
    }

    /// Switches to the current day's file.
    private func openFile(for date: Date, _ state: inout State) throws(LedgerError) {
        let day = LedgerFolder.day(of: date)
        guard day != state.day || state.descriptor < 0 else { return }
        if state.descriptor >= 0 { close(state.descriptor) }
        do {
            try folder.create()
        } catch {
            state.descriptor = -1
            throw LedgerError(reason: "the folder \(folder.url.path) cannot be created")
        }
        state.descriptor = Glibc.open(
            folder.path(of: day), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard state.descriptor >= 0 else {
            throw LedgerError(reason: "\(folder.path(of: day)): \(String(cString: strerror(errno)))")
        }
        state.day = day
        folder.prune(at: date)
    }

    /// A plugin's words on one line, and not too many of them.
    private static func shown(_ text: String) -> String {
        let visible = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String(String.UnicodeScalarView(visible)).prefix(200))
    }
}

/// The list of connections cannot be kept.
public struct LedgerError: Error, Sendable, CustomStringConvertible {
    let reason: String

    public var description: String {
        "The list of connections cannot be written, so no connection is made: \(reason)."
    }
}
