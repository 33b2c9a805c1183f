import CSockets
import FoundationEssentials
import Glibc

/// A connection of the ledger while it is there: from the look-up of the name until its last socket is
/// closed. libcurl may try several addresses at once; they are one connection.
final class LiveConnection {
    let ticket: ConnectionLedger.Ticket
    private let ledger: ConnectionLedger
    /// Sockets with a generation, because libcurl closes unconnected sockets silently and numbers are reused.
    private var sockets: [CInt: UInt] = [:]
    private var received = 0
    private var sent = 0
    private var requests = 0
    private var purposes: [String] = []
    private var problem: String?
    /// Transfers that are under way on it, whose end has to be awaited to say how it ended.
    private var users = 0
    private(set) var isOver = false

    init(_ ticket: ConnectionLedger.Ticket, ledger: ConnectionLedger) {
        self.ticket = ticket
        self.ledger = ledger
    }

    func isBound(to port: CInt) -> Bool {
        sockets.contains {
            SocketAddress.inode(of: $0.key) == $0.value && SocketAddress.port(of: $0.key) == port
        }
    }

    /// Whether it was used and nothing is left of it.
    var isSpent: Bool { isOver || (sockets.isEmpty && requests > 0) }

    func opened(_ socket: CInt) {
        sockets[socket] = SocketAddress.inode(of: socket)
    }

    /// Must be called before the socket is closed, to read its byte counts from the system.
    func willClose(_ socket: CInt) {
        guard sockets.removeValue(forKey: socket) != nil else { return }
        let count = TrafficCount(of: socket)
        received += count.received
        sent += count.sent
        endIfDone()
    }

    func began(_ purpose: String) {
        users += 1
        purposes.append(purpose)
    }

    func carriedRequest() {
        requests += 1
    }

    func finished(problem: String?) {
        users -= 1
        if let problem { self.problem = problem }
        endIfDone()
    }

    /// Transfers the connection to a new owner, who will record its end.
    func handOver() -> ConnectionLedger.Ticket {
        isOver = true
        return ticket
    }

    private func endIfDone() {
        guard users == 0, !isOver else { return }
        sockets = sockets.filter { SocketAddress.inode(of: $0.key) == $0.value }
        guard sockets.isEmpty else { return }
        isOver = true
        ledger.end(
            ticket, received: received, sent: sent, requests: requests, more: purposes, problem: problem)
    }
}

/// What a TCP connection has carried so far.
struct TrafficCount {
    let received: Int
    let sent: Int

    init(of socket: CInt) {
        var received: UInt64 = 0
        var sent: UInt64 = 0
        csockets_count(socket, &received, &sent)
        self.received = Int(clamping: received)
        self.sent = Int(clamping: sent)
    }
}

enum SocketAddress {
    /// The number that the system gives a socket, never twice; nil if there is none.
    static func inode(of socket: CInt) -> UInt? {
        var status = stat()
        return fstat(socket, &status) == 0 ? status.st_ino : nil
    }

    /// The port on this side.
    static func port(of socket: CInt) -> CInt {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.baseAddress.map { getsockname(socket, $0.assumingMemoryBound(to: sockaddr.self), &size) }
        }
        guard found == 0 else { return -1 }
        // Both families have the port in the same place.
        return withUnsafeBytes(of: address) { CInt($0[2]) << 8 | CInt($0[3]) }
    }
}
