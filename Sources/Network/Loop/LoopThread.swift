import CSockets
import Glibc
import Synchronization

/// A single thread for all socket operations: it runs the jobs of its actors, and waits for sockets and
/// timers in between.
///
/// Actors that use it as their executor share the thread, so their state needs no lock. The thread ends when
/// this object is released.
final class LoopThread: SerialExecutor {
    private let core: LoopCore

    init() {
        core = LoopCore()
        core.start(for: self)
    }

    deinit { core.wakeUp() }

    func enqueue(_ job: consuming ExecutorJob) {
        core.add(UnownedJob(job))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        precondition(core.isCurrentThread, "this is not the thread of the network")
    }

    func isIsolatingCurrentContext() -> Bool? { core.isCurrentThread }

    // What follows may be called on the thread alone.

    /// Calls `handler` whenever the socket is ready for one of `events`, until it is called with another
    /// set. No events: the socket is no longer looked at.
    func watch(
        _ socket: CInt, of owner: AnyObject, for events: Int16, _ handler: @escaping (Int16) -> Void
    ) {
        checkIsolated()
        guard events != 0 else { return forget(socket, of: owner) }
        core.watches[socket] = LoopCore.Watch(
            owner: ObjectIdentifier(owner), events: events, handler: handler)
    }

    /// - Parameter owner: the object that watched the socket. The number may have been reused: libcurl closes
    ///   unconnected sockets silently.
    func forget(_ socket: CInt, of owner: AnyObject) {
        checkIsolated()
        if core.watches[socket]?.owner == ObjectIdentifier(owner) { core.watches[socket] = nil }
    }

    /// Calls `handler` once, after some time.
    func after(_ delay: Duration, _ handler: @escaping () -> Void) -> TimerID {
        checkIsolated()
        return core.addTimer(at: .now + delay, handler)
    }

    func cancel(_ timer: TimerID?) {
        checkIsolated()
        if let timer { core.timers[timer] = nil }
    }
}

struct TimerID: Hashable, Sendable {
    fileprivate let number: Int
}

/// What the thread itself holds, so that it does not keep its `LoopThread` alive.
// @unchecked Sendable: `watches`, `timers` and `lastTimer` are touched on the thread alone, which every
// way to them checks; `loop` is written before the thread begins; the rest is locked.
private final class LoopCore: @unchecked Sendable {
    struct Watch {
        let owner: ObjectIdentifier
        let events: Int16
        let handler: (Int16) -> Void
    }

    struct Timer {
        let due: ContinuousClock.Instant
        let handler: () -> Void
    }

    var watches: [CInt: Watch] = [:]
    var timers: [TimerID: Timer] = [:]
    private var lastTimer = 0
    private let jobs = Mutex<[UnownedJob]>([])
    private let bell = csockets_bell()
    private let thread = Mutex<pthread_t?>(nil)
    private weak var loop: LoopThread?

    deinit { close(bell) }

    func start(for loop: LoopThread) {
        self.loop = loop
        var id = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let me = Unmanaged.passRetained(self).toOpaque()
        let failure = pthread_create(&id, &attributes, { LoopCore.run($0) }, me)
        precondition(failure == 0, "no thread for the network: \(failure)")
        pthread_attr_destroy(&attributes)
    }

    var isCurrentThread: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func add(_ job: UnownedJob) {
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { wakeUp() }
    }

    func wakeUp() {
        csockets_ring(bell)
    }

    func addTimer(at due: ContinuousClock.Instant, _ handler: @escaping () -> Void) -> TimerID {
        lastTimer += 1
        let id = TimerID(number: lastTimer)
        timers[id] = Timer(due: due, handler: handler)
        return id
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let core = Unmanaged<LoopCore>.fromOpaque(context).takeRetainedValue()
        core.thread.withLock { $0 = pthread_self() }
        // A write to a closed connection is an error here and no signal; those meant for the program go
        // to its other threads.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        csockets_name_thread("network")
        while core.turn() {}
        return nil
    }

    /// Waits, and runs due jobs; false when the thread is no longer needed.
    private func turn() -> Bool {
        var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        for (socket, watch) in watches { polled.append(pollfd(fd: socket, events: watch.events, revents: 0)) }
        let count = poll(&polled, nfds_t(polled.count), timeout)
        guard let loop else { return false }
        if count > 0 {
            if polled[0].revents != 0 { csockets_silence(bell) }
            for entry in polled.dropFirst() where entry.revents != 0 {
                if entry.revents & Int16(POLLNVAL) != 0 {
                    // The owner closed it without notice.
                    watches[entry.fd] = nil
                } else {
                    // An earlier handler may have stopped looking at this one.
                    watches[entry.fd]?.handler(entry.revents)
                }
            }
        }
        let now = ContinuousClock.now
        for (id, timer) in timers where timer.due <= now {
            if timers.removeValue(forKey: id) != nil { timer.handler() }
        }
        let waiting = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in waiting { job.runSynchronously(on: loop.asUnownedSerialExecutor()) }
        return true
    }

    /// Milliseconds until the next timer, rounded up so that none is waited for in a busy loop.
    private var timeout: CInt {
        guard let next = timers.values.map(\.due).min() else { return -1 }
        let left = (next - .now) / .milliseconds(1)
        return CInt(max(0, min(left.rounded(.up), 60_000)))
    }
}
