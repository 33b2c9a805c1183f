import MailKernelAPI
import Synchronization

/// Closes a stream whose server says nothing for too long.
final class Pulse: Sendable {
    /// Seconds; RFC 1939 lets a server take its time.
    private static let patience = 90.0

    private let beats = Mutex(0)
    private let overdue = Mutex(false)

    var isOverdue: Bool { overdue.withLock { $0 } }

    func beat() { beats.withLock { $0 += 1 } }

    /// Runs until it is canceled or has closed the stream.
    func guardStream(_ stream: any ByteStream, _ clock: any HostClock) async {
        var last = beats.withLock { $0 }
        while (try? await clock.sleep(for: Self.patience)) != nil {
            let now = beats.withLock { $0 }
            if now == last {
                overdue.withLock { $0 = true }
                await stream.close()
                return
            }
            last = now
        }
    }
}
