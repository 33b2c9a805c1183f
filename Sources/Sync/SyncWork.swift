import FoundationEssentials

/// The rounds of an account.
///
///     rest ──due──▶ round ──▶ rest ──▶ … ──stopped, or the sign-in refused──▶ over
///
/// A request during a round leads to another round. One during a hold waits for its end.
enum SyncWork {
    case rest(Request, Hold = .none)
    case round(Request)
    case over

    enum Request: Comparable {
        case none, change, user
    }

    enum Hold {
        case none
        case until(Date)
        /// For the user, who should not be asked repeatedly. A request of theirs ends it.
        case unlocking(until: Date)
    }

    var isOver: Bool { if case .over = self { true } else { false } }

    func isDue(at now: Date) -> Bool {
        switch self {
        case .over, .rest(.none, _), .round(.none): false
        case .rest(_, .none), .round: true
        case .rest(_, .until(let date)), .rest(_, .unlocking(let date)): date <= now
        }
    }

    mutating func request(_ new: Request) {
        switch self {
        case .rest(_, .unlocking) where new == .user: self = .rest(new)
        case .rest(let old, let hold): self = .rest(max(old, new), hold)
        case .round(let old): self = .round(max(old, new))
        case .over: break
        }
    }

    /// Ends the round or the hold.
    mutating func end(_ hold: Hold = .none) {
        switch self {
        case .round(let request), .rest(let request, _): self = .rest(request, hold)
        case .over: break
        }
    }
}

/// Whether the service reports changes.
///
///     off ──next round──▶ opening ──event──▶ open ──ended──▶ off
///                            └──failed, or no push──────────▶ off
enum SyncWatch {
    /// - Parameter again: the pause after watching has failed; nil if it has not, or if the service has no push.
    case off(again: Double?)
    case opening(Task<Void, Never>, again: Double?)
    /// - Parameter since: when the service began to listen.
    case open(Task<Void, Never>, since: Date?)

    var task: Task<Void, Never>? {
        switch self {
        case .off: nil
        case .opening(let task, _), .open(let task, _): task
        }
    }
}
