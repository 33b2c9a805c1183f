import FoundationEssentials
import MailKernelAPI
import Sync

/// What the outbox as a whole does.
///
///     due ──▶ reading ──▶ resting ──▶ due
///                └─────────────────────↑
///
/// Something that becomes due during the reading leads to another.
enum OutboxLoop {
    case due
    case reading(isDueAgain: Bool)
    /// - Parameters:
    ///   - wake: continues the loop.
    ///   - retryAt: when accounts that could not be read are read again.
    case resting(wake: CheckedContinuation<Void, Never>?, retryAt: Date?)
}

/// What the outbox does for one account, so that problems of one do not delay the others.
struct OutboxAccount {
    ///     rest ──due──▶ round ──▶ rest
    ///
    /// A change during a round leads to another.
    enum Work {
        case round(Task<Void, Never>, isDueAgain: Bool)
        /// - Parameter until: nil if nothing will be due by itself.
        case rest(until: Date?)
    }

    /// Why nothing is sent, and until which uptime.
    enum Hold {
        case retry(until: Double)
        /// The user has to unlock something.
        case unlocking(until: Double)

        var until: Double {
            switch self {
            case .retry(let until), .unlocking(let until): until
            }
        }
    }

    var work = Work.rest(until: nil)
    var hold: Hold?
    /// The sign-in that was refused when something was to be sent.
    var refused: RefusedSending?
    /// The user asked to continue since the last attempt began.
    var isAsked = false

    var isInRound: Bool { if case .round = work { true } else { false } }
    var next: Date? { if case .rest(let date) = work { date } else { nil } }
}

/// How often one and the same sign-in was refused when something was to be sent.
struct RefusedSending {
    let sync: AccountSync
    var count = 0
}

/// What happens to a submission in this run of the program.
struct OutboxSubmission {
    ///     idle ◀──▶ changing
    ///      ↑▼
    ///     sending ──▶ unfinished ──▶ idle
    enum State {
        case idle
        /// It is being changed, and must not be sent at the same time.
        case changing
        /// It is being handed over, and cannot be called back.
        case sending
        /// It was sent, and a step that follows from it failed.
        case unfinished
    }

    var state = State.idle
    /// It was to be sent while it was being changed.
    var wasPassedOver = false
    /// The remaining undo delay. It does not survive the program: its message then becomes a draft.
    var countdown: UndoCountdown?

    /// It may be sent or changed now.
    var isFree: Bool { state == .idle || state == .unfinished }
    var isOver: Bool { state == .idle && countdown == nil }
}
