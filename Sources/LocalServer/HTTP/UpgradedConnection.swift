import CMicroHTTPD
import FoundationEssentials
import Glibc
import Synchronization

/// A connection that is no longer HTTP: two pipes, moved to and from its socket by a thread of its own.
///
/// The library hands over a socket, or one end of a pair if there is TLS, and closes it when it is told to.
///
/// @unchecked Sendable: the handle of the library is used once, by the thread, at its end.
final class UpgradedConnection: @unchecked Sendable {
    struct Limits: Sendable {
        /// How long a client may take nothing of what waits for it.
        var slowness = Duration.seconds(60)
        /// How long a client may take to close its side after the last frame.
        var parting = Duration.seconds(2)
        /// The last bytes for a client when the server stops.
        var farewell: Data
    }

    let inbound: BytePipe
    let outbound: BytePipe
    private let socket: CInt
    private let bell: Bell
    private let limits: Limits
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - extra: what the client has sent behind the head of its request.
    ///   - handle: closes the connection.
    init(_ socket: CInt, extra: UnsafeRawBufferPointer, handle: OpaquePointer, _ limits: Limits) {
        self.socket = socket
        self.handle = handle
        self.limits = limits
        let bell = Bell()
        self.bell = bell
        inbound = BytePipe { bell.ring() }
        outbound = BytePipe { bell.ring() }
        if !extra.isEmpty { inbound.offer(extra) }
    }

    /// Runs until the connection has ended.
    func start() {
        if !OwnThread.start({ self.run() }) { end() }
    }

    /// Sends the last bytes; none may follow.
    func close(with last: Data) {
        last.withUnsafeBytes { outbound.offer($0) }
        outbound.finish()
        inbound.breakOff()
    }

    /// The server stops.
    func leave() { close(with: limits.farewell) }

    private func end() {
        inbound.breakOff()
        outbound.breakOff()
        cmicrohttpd_close_upgraded(handle)
    }

    // MARK: The thread

    private func run() {
        defer { end() }
        guard bell.isThere else { return }
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        var waiting = 0..<0
        var moved = ContinuousClock.now
        while true {
            if waiting.isEmpty {
                switch buffer.withUnsafeMutableBytes({ outbound.take(into: $0) }) {
                case .count(let count):
                    waiting = 0..<count
                    moved = .now
                case .end: return part()
                case .broken: return
                case .nothingYet: break
                }
            }
            let ready = wait(forRoom: !waiting.isEmpty)
            if ready.canRead, !receive() { return }
            if ready.canWrite {
                let sent = buffer[waiting].withUnsafeBytes {
                    send(
                        socket, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
                if sent > 0 {
                    waiting = (waiting.lowerBound + sent)..<waiting.upperBound
                    moved = .now
                } else if errno != EAGAIN, errno != EINTR {
                    return
                }
            }
            if !waiting.isEmpty, .now - moved > limits.slowness { return }
        }
    }

    private func wait(forRoom: Bool) -> (canRead: Bool, canWrite: Bool) {
        let reads: Int32 = inbound.isFull ? 0 : POLLIN
        var all = [
            pollfd(fd: socket, events: Int16(reads | (forRoom ? POLLOUT : 0)), revents: 0),
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Awake now and then, to see that a client takes nothing.
        guard poll(&all, 2, forRoom ? 1000 : -1) > 0 else { return (false, false) }
        if all[1].revents != 0 { bell.quiet() }
        let found = Int32(all[0].revents)
        let isOver = found & (POLLHUP | POLLERR | POLLNVAL) != 0
        return (found & POLLIN != 0 || isOver, found & POLLOUT != 0)
    }

    /// False at the end: a client that closes its writing side has left.
    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        let count = recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        buffer.withUnsafeBytes { inbound.offer(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        return true
    }

    /// The last frame has been sent. Closing a socket with unread bytes would take it away from the client.
    private func part() {
        shutdown(socket, CInt(SHUT_WR))
        let limit = ContinuousClock.now + limits.parting
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        while .now < limit {
            var one = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&one, 1, 100) > 0 else { continue }
            let count = recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
        }
    }
}

/// Wakes a thread that polls.
private final class Bell: Sendable {
    let descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))

    var isThere: Bool { descriptor >= 0 }

    deinit { close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func quiet() {
        var rings: UInt64 = 0
        read(descriptor, &rings, MemoryLayout<UInt64>.size)
    }
}
