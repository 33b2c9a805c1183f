import Glibc
public import MailKernelAPI
import Synchronization

/// Ends the program as the plugin's settings say, by code of the plugin itself:
///
/// ```json
/// {"end": {"changes": "trap", "session": "laterTrap"}}
/// ```
///
/// | end | meaning |
/// |---|---|
/// | `trap` | an index that is out of bounds |
/// | `abort`, `exit` | the functions of C; `exit` with 0 |
/// | `overflow` | a function that calls itself until the stack is used up |
/// | `nowhere` | a call of an address that holds no code |
/// | `taskOverflow`, `threadOverflow` | the same in a task, and on a thread of its own |
/// | `laterTrap` | a trap on a thread of its own that blocks all signals, half a second later |
/// | `unhandledTrap` | has signals of crashes end the process at once from now on, and blocks them; traps the next time |
/// | `block` | no end, but the thread is blocked for good |
public struct SuddenEnd: Sendable {
    private let ends: [String: String]

    public init(_ host: HostServices) {
        ends = (host.settings["end"]?.objectValue ?? [:]).compactMapValues(\.stringValue)
    }

    /// To be called first in the call of this name.
    public func come(in call: String) {
        switch ends[call] {
        case "trap": trap()
        case "abort": abort()
        case "exit": exit(0)
        case "overflow": print(depth(of: ends.count))
        case "taskOverflow": Task.detached { [ends] in print(depth(of: ends.count)) }
        case "threadOverflow":
            var thread = pthread_t()
            let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                print(depth(of: Int(CommandLine.argc)))
                return nil
            }
            pthread_create(&thread, nil, start, nil)
        case "nowhere": callNowhere()
        case "laterTrap":
            var thread = pthread_t()
            let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                usleep(500_000)
                trap()
                return nil
            }
            // As is usual for threads that leave signals to others. A thread has the mask of the one that starts it.
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            pthread_create(&thread, nil, start, nil)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        case "unhandledTrap": unhandledTrap()
        case "block":
            let line = "The mock blocks its thread in \(call).\n"
            _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            while true { pause() }
        default: break
        }
    }
}

private let isUnhandled = Atomic(false)

private func unhandledTrap() {
    if isUnhandled.exchange(true, ordering: .relaxed) { return trap() }
    var crashes = sigset_t()
    sigemptyset(&crashes)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
        signal(number, SIG_DFL)
        sigaddset(&crashes, number)
    }
    pthread_sigmask(SIG_BLOCK, &crashes, nil)
}

@inline(never)
private func trap() {
    let none: [Int] = []
    print(none[CommandLine.arguments.count])
}

/// Uses what it gets after the call, so that the call is one.
@inline(never)
private func depth(of count: Int) -> Int {
    let room = [count, count + 1]
    return withExtendedLifetime(room) { depth(of: count + 1) + room[count % 2] }
}

@inline(never)
private func callNowhere() {
    typealias Function = @convention(c) () -> Void
    unsafeBitCast(CommandLine.arguments.count, to: Function.self)()
}
