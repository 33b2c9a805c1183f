import CLocalModels
import Dispatch
import FoundationEssentials
import Glibc
import InferenceWire
import MailKernelAPI
import Synchronization

/// A running `mailkernel-inference`. Whatever happens to it does not affect this process.
final class InferenceProcess: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Reply>.Continuation] = [:]
        var loading: AsyncStream<Reply>.Continuation?
        /// Bytes that it has said since it was last asked for something.
        var heard = 0
        var isOver = false
    }

    /// More than any answer takes. A process that was taken over by a model file must not fill our memory.
    static let mostBytes = 32 << 20

    private let line: CInt
    private let id: pid_t
    private let state = Mutex(State())

    /// Starts the program; it waits for what to load.
    init(_ program: String) throws(ModelError) {
        var ends: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Self.notStarted() }
        line = ends[0]
        defer { close(ends[1]) }
        do throws(ModelError) {
            id = try Self.start(program, line: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        listen()
    }

    /// Not earlier: a write may be in progress when the process ends.
    deinit { close(line) }

    static func start(_ program: String, line: CInt) throws(ModelError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, line, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Nothing that is open here is any of its business.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        posix_spawn_file_actions_addchdir_np(&actions, "/")
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A separate session, because Ctrl-C in a terminal is for the program, which ends it properly; it has
        // no access to the terminal.
        posix_spawnattr_setflags(&attributes, clocalmodels_spawn_setsid)
        let name = strdup(program)
        defer { free(name) }
        var words = [name, nil]
        // Nor of the environment, which may hold secrets and settings of llama.cpp: only where Swift is.
        let runtime = getenv("LD_LIBRARY_PATH").map { strdup("LD_LIBRARY_PATH=" + String(cString: $0)) }
        defer { free(runtime ?? nil) }
        var environment = [runtime ?? nil, nil]
        var id = pid_t()
        let code = posix_spawn(&id, program, &actions, &attributes, &words, &environment)
        guard code == 0 else { throw notStarted(code) }
        return id
    }

    private static func notStarted(_ code: CInt = errno) -> ModelError {
        .failed(reason: "The engine cannot be started: \(String(cString: strerror(code))).")
    }

    /// Ends the process. Pending requests fail.
    func stop() {
        state.withLock { state in
            // Once it has been waited for, the number may be another's.
            guard !state.isOver else { return }
            kill(id, SIGKILL)
            shutdown(line, Int32(SHUT_RDWR))
        }
    }

    var isRunning: Bool { state.withLock { !$0.isOver } }

    /// Sends a request, and returns the responses with its number.
    func ask(_ request: Request, number: Int) -> AsyncStream<Reply> {
        let (replies, listener) = AsyncStream<Reply>.makeStream()
        let isOver = state.withLock { state in
            if case .load = request { state.loading = listener }
            state.listeners[number] = listener
            state.heard = 0
            return state.isOver
        }
        if isOver {
            listener.finish()
        } else {
            send(request)
        }
        return replies
    }

    /// Responses with this number are no longer needed.
    func forget(_ number: Int) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        listener?.finish()
    }

    func send(_ request: Request) {
        guard let bytes = try? Frames.encode(request), Descriptors.write(bytes, to: line) else {
            return stop()
        }
    }

    /// Reads the responses until the process ends.
    private func listen() {
        let line = line
        let id = id
        DispatchQueue(label: "local-models.inference").async { [self] in
            var frames = Frames()
            loop: while let bytes = Descriptors.read(line) {
                let heard = state.withLock { state in
                    state.heard += bytes.count
                    return state.heard
                }
                guard heard <= Self.mostBytes else { break }
                frames.add(bytes)
                do {
                    while let reply = try frames.next(Reply.self) { hear(reply) }
                } catch {
                    break loop
                }
            }
            kill(id, SIGKILL)
            var status: CInt = 0
            let listeners = state.withLock { state in
                // Under the lock, so that a reused process id is never signaled.
                while waitpid(id, &status, 0) == -1, errno == EINTR {}
                state.isOver = true
                defer { state.listeners = [:] }
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.finish() }
        }
    }

    private func hear(_ reply: Reply) {
        let listeners: [AsyncStream<Reply>.Continuation] = state.withLock { state in
            switch reply {
            case .working: Array(state.listeners.values)
            case .ready, .refused(nil, _): state.loading.map { [$0] } ?? []
            case .piece(let number, _), .written(let number, _, _), .scores(let number, _),
                .vectors(let number, _), .refused(.some(let number), _):
                state.listeners[number].map { [$0] } ?? []
            }
        }
        for listener in listeners { listener.yield(reply) }
    }
}
