import Care
import Glibc
import Synchronization

/// Shows how far a move is: a bar on a terminal, otherwise a line for every tenth.
final class MoveProgressText: Sendable {
    private let moving = ProgressBar(label: "Moving")
    private let comparing = ProgressBar(label: "Comparing")
    private let shown = Mutex("")

    func show(_ step: StoreMove.Step) {
        switch step {
        case .startsAgain:
            say("The old store has changed since the move was interrupted, so it starts again.")
        case .moving(let done, let total):
            moving.show(done, of: total, "\(done) messages")
            sayTenth("Moved", done, total)
        case .comparing(let done, let total):
            comparing.show(done, of: total, "")
            sayTenth("Compared", done, total)
        }
    }

    func end() { moving.end() }

    private func sayTenth(_ what: String, _ done: Int, _ total: Int) {
        guard isatty(STDERR_FILENO) == 0 else { return }
        let tenth = total > 0 ? min(10, 10 * done / total) : 10
        say("\(what) \(10 * tenth) % of \(what == "Moved" ? "\(total) messages" : "both stores").")
    }

    /// Prints a line, once.
    private func say(_ line: String) {
        shown.withLock { shown in
            guard shown != line else { return }
            shown = line
            print(line)
            fflush(nil)
        }
    }
}
