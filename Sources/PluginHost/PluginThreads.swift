import CPluginHost
import Dispatch
import Glibc
import Synchronization

/// The threads for one plugin's calls: a plugin that blocks them blocks only itself.
///
/// A thread is started when none is idle for a job, and ends after a while without work. Among idle threads,
/// the last used one gets the job: its memory is still cached.
public final class PluginThreads: TaskExecutor {
    /// How many a plugin has at most. Jobs beyond that wait.
    public static let most = 8
    private static let idleSeconds = 10

    private struct State {
        var waiting: [UnownedJob] = []
        /// Where `waiting` begins: removing from the front would move all others.
        var first = 0
        var idle: [PluginThread] = []
        var count = 0

        mutating func next() -> UnownedJob? {
            guard first < waiting.count else { return nil }
            defer { first += 1 }
            return waiting[first]
        }

        mutating func all() -> [UnownedJob] {
            defer { (waiting, first) = ([], 0) }
            return Array(waiting[first...])
        }

        mutating func add(_ job: UnownedJob) {
            if 2 * first >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            waiting.append(job)
        }
    }

    private let name: String
    private let startThread: @Sendable (PluginThreads) -> Bool
    private let state = Mutex(State())

    /// - Parameter pluginID: its end is what debuggers call the threads.
    public convenience init(pluginID: String) {
        self.init(pluginID: pluginID) { $0.start() }
    }

    /// - Parameter startThread: returns false if the system gives no more threads.
    init(pluginID: String, startThread: @escaping @Sendable (PluginThreads) -> Bool) {
        name = String(pluginID.suffix(15))
        self.startThread = startThread
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (idle, isNew) = state.withLock { state -> (PluginThread?, Bool) in
            if let thread = state.idle.popLast() { return (thread, false) }
            state.add(job)
            guard state.count < Self.most else { return (nil, false) }
            state.count += 1
            return (nil, true)
        }
        idle?.give(job)
        if isNew, !startThread(self) { doWithoutThread() }
    }

    /// The system gave no thread. Those that there are do the work; without any, it is done among the program's
    /// other work: it may block that, but would never be done otherwise.
    private func doWithoutThread() {
        let jobs = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.all() : []
        }
        for job in jobs {
            DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    func start() -> Bool {
        var id = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let me = Unmanaged.passRetained(self)
        let failure = pthread_create(
            &id, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<PluginThreads>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, me.toOpaque())
        if failure != 0 { me.release() }
        return failure == 0
    }

    private func work() {
        // Signals go to the program's other threads, but for those of a crash.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        crash_watch_thread()
        name_thread(name)
        let thread = PluginThread()
        while let job = next(for: thread) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Waits for a job; nil when there was none for so long that the thread ends.
    private func next(for thread: PluginThread) -> UnownedJob? {
        let job = state.withLock { state in
            let job = state.next()
            if job == nil { state.idle.append(thread) }
            return job
        }
        if let job = job ?? thread.wait(seconds: Self.idleSeconds) { return job }
        let ends = state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0 === thread }) else { return false }
            state.idle.remove(at: index)
            state.count -= 1
            return true
        }
        // If it is no longer listed as idle, a job is on its way to it.
        return ends ? nil : thread.wait()
    }
}

/// A thread that waits for a job.
// @unchecked Sendable: `job` is written before the bell rings, and read by the thread after it.
private final class PluginThread: @unchecked Sendable {
    private let bell: UnsafeMutablePointer<sem_t>
    private var job: UnownedJob?

    init() {
        bell = .allocate(capacity: 1)
        sem_init(bell, 0, 0)
    }

    deinit {
        sem_destroy(bell)
        bell.deallocate()
    }

    func give(_ job: UnownedJob) {
        self.job = job
        sem_post(bell)
    }

    func wait() -> UnownedJob? {
        while sem_wait(bell) != 0 {}
        return job
    }

    /// Returns nil if no job came before the time was over.
    func wait(seconds: Int) -> UnownedJob? {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while sem_timedwait(bell, &end) != 0 {
            if errno != EINTR { return nil }
        }
        return job
    }
}
