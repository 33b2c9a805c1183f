import CMicroHTTPD
import Glibc
import Synchronization

/// Watches the sockets of all connections for what libmicrohttpd does not see: clients that never come to the
/// point, and clients that leave while their connection is set aside.
///
/// One thread, asleep until a deadline or a departure.
///
/// @unchecked Sendable: the descriptors never change; the rest is behind the lock.
final class ConnectionWatch: @unchecked Sendable {
    /// One connection, from its beginning to just before its socket is closed.
    final class Seat: Sendable, Hashable {
        fileprivate let socket: CInt
        /// The other end is another user of this computer, who gets no answer.
        let isForeign: Bool

        init(socket: CInt, isForeign: Bool) {
            self.socket = socket
            self.isForeign = isForeign
        }

        static func == (one: Seat, other: Seat) -> Bool { one === other }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct Occupant {
        let since: ContinuousClock.Instant
        /// When the head of the next request must have come in whole; nil while a request is answered.
        var deadline: ContinuousClock.Instant?
        var isKnown = false
        var hasLeft: (@Sendable () -> Void)?
    }

    struct Limits: Sendable {
        /// For the first head of a connection, from its beginning.
        var firstHead = Duration.seconds(10)
        /// For each further one, from the end of the answer before it.
        var nextHead = Duration.seconds(90)
        /// For requests under way when the server stops. The program has 4.5 seconds for stopping everything.
        var stopping = Duration.seconds(2)
        /// With more connections, the oldest whose client has not shown who it is goes.
        var seats = 400
        /// Extra connections beyond the seats, which may authenticate, or are told that all seats are taken.
        static let standing = 48
        /// The library's limit: closed connections may linger while others arrive.
        var connections: Int { seats + Self.standing + 16 }
    }

    private struct State {
        var seats: [Seat: Occupant] = [:]
        var isStopped = false
        /// What the thread waits for at the moment.
        var wakesAt: ContinuousClock.Instant?
    }

    let limits: Limits
    private let poll: CInt
    private let alarm: CInt
    private let state = Mutex(State())

    init(_ limits: Limits) throws(LocalServerError) {
        self.limits = limits
        poll = epoll_create1(CInt(EPOLL_CLOEXEC))
        alarm = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: alarm))
        guard poll >= 0, alarm >= 0, epoll_ctl(poll, EPOLL_CTL_ADD, alarm, &event) == 0 else {
            throw .cannotStart(String(cString: strerror(errno)))
        }
        guard OwnThread.start({ self.run() }) else {
            throw .cannotStart("the thread limit of this computer was reached")
        }
    }

    deinit {
        close(poll)
        close(alarm)
    }

    /// Ends the thread. Every seat must be gone.
    func stop() {
        state.withLock { $0.isStopped = true }
        ring()
    }

    /// Cuts all connections; libmicrohttpd sees their ends.
    func closeAll() {
        state.withLock { state in
            for seat in state.seats.keys { shutdown(seat.socket, CInt(SHUT_RDWR)) }
        }
    }

    /// Closes the connections without a complete request: they could begin one at any time, or never.
    func closeWaiting() {
        state.withLock { state in
            for (seat, occupant) in state.seats where occupant.deadline != nil {
                shutdown(seat.socket, CInt(SHUT_RDWR))
            }
        }
    }

    func add(_ seat: Seat) {
        let now = ContinuousClock.now
        setDeadline(now + limits.firstHead) { state in
            state.seats[seat] = Occupant(since: now)
            return seat
        }
        if seat.isForeign { shutdown(seat.socket, CInt(SHUT_RDWR)) }
        makeRoom()
    }

    func remove(_ seat: Seat) {
        state.withLock { state in
            // Under the lock, so that a reused socket number is never shut down.
            if state.seats.removeValue(forKey: seat)?.hasLeft != nil {
                epoll_ctl(poll, EPOLL_CTL_DEL, seat.socket, nil)
            }
        }
    }

    /// - Returns: false for an authenticated client for which there is no seat.
    func headArrived(_ seat: Seat, isKnown: Bool) -> Bool {
        state.withLock { state in
            state.seats[seat]?.deadline = nil
            guard isKnown, state.seats[seat]?.isKnown == false else { return true }
            guard state.seats.count(where: { $0.value.isKnown }) < limits.seats else { return false }
            state.seats[seat]?.isKnown = true
            return true
        }
    }

    func requestEnded(_ seat: Seat) {
        setDeadline(.now + limits.nextHead) { state in
            if state.seats[seat]?.hasLeft != nil {
                state.seats[seat]?.hasLeft = nil
                epoll_ctl(poll, EPOLL_CTL_DEL, seat.socket, nil)
            }
            return seat
        }
    }

    /// Calls back, once, when the client closes its side of the connection.
    func watchForLeaving(_ seat: Seat, _ hasLeft: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard state.seats[seat] != nil else { return }
            var event = epoll_event(
                events: EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue, data: epoll_data(fd: seat.socket))
            guard epoll_ctl(poll, EPOLL_CTL_ADD, seat.socket, &event) == 0 else { return }
            state.seats[seat]?.hasLeft = hasLeft
        }
    }

    private func setDeadline(_ deadline: ContinuousClock.Instant, of find: (inout State) -> Seat) {
        let isEarlier = state.withLock { state in
            let seat = find(&state)
            state.seats[seat]?.deadline = deadline
            guard let wakesAt = state.wakesAt, wakesAt <= deadline else { return true }
            return false
        }
        if isEarlier { ring() }
    }

    /// A client that has shown who it is never has to go for one that has not. The newest of the others stay until they
    /// have said who they are.
    private func makeRoom() {
        state.withLock { state in
            guard state.seats.count > limits.seats else { return }
            let strangers = state.seats.filter { !$0.value.isKnown }
            guard strangers.count > Limits.standing || state.seats.count > limits.seats + Limits.standing
            else { return }
            guard let oldest = strangers.min(by: { $0.value.since < $1.value.since }) else { return }
            shutdown(oldest.key.socket, CInt(SHUT_RDWR))
        }
    }

    private func ring() {
        var one: UInt64 = 1
        write(alarm, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: The thread

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 32)
        while let pause = closeTheLate() {
            let count = epoll_wait(poll, &events, CInt(events.count), pause)
            for event in events.prefix(Int(max(0, count))) {
                if event.data.fd == alarm {
                    var rings: UInt64 = 0
                    read(alarm, &rings, MemoryLayout<UInt64>.size)
                } else {
                    leave(event.data.fd)
                }
            }
        }
    }

    private func leave(_ socket: CInt) {
        let hasLeft = state.withLock { state in
            state.seats.first { $0.key.socket == socket }?.value.hasLeft
        }
        hasLeft?()
    }

    /// The milliseconds until the next deadline, -1 if there is none; nil when it is time to stop.
    private func closeTheLate() -> CInt? {
        let now = ContinuousClock.now
        return state.withLock { state -> CInt? in
            guard !state.isStopped else { return nil }
            for (seat, occupant) in state.seats where occupant.deadline.map({ $0 <= now }) == true {
                state.seats[seat]?.deadline = nil
                // libmicrohttpd sees the end of the stream, and closes.
                shutdown(seat.socket, CInt(SHUT_RDWR))
            }
            state.wakesAt = state.seats.values.compactMap(\.deadline).min()
            guard let wakesAt = state.wakesAt else { return -1 }
            return CInt(clamping: Int64(((wakesAt - now) / .milliseconds(1)).rounded(.up)))
        }
    }
}
