/// The time in which a message can be called back. It is counted by a clock that only ever goes forward, so
/// that setting the system's clock neither sends early nor keeps a message.
struct UndoCountdown: Sendable {
    /// The remaining time when it was last started or paused.
    private var left: Double
    /// The uptime since which it runs; nil while it stands still.
    private var runningSince: Double?
    /// Sent from the page: it cannot be canceled while no window of the page is open.
    private let pausesWhenClosed: Bool
    /// Since a window was open: before that, no page existed.
    private var wasWatched: Bool

    init(seconds: Double, at uptime: Double, pausesWhenClosed: Bool, isWatched: Bool) {
        left = seconds
        runningSince = uptime
        self.pausesWhenClosed = pausesWhenClosed
        wasWatched = isWatched
    }

    var isPaused: Bool { runningSince == nil }

    func seconds(at uptime: Double) -> Double {
        max(0, left - (runningSince.map { max(0, uptime - $0) } ?? 0))
    }

    /// - Parameter sendsWhileClosed: the user's setting to continue while closed.
    /// - Returns: whether it was paused or resumed.
    mutating func windowsChanged(isAnyOpen: Bool, sendsWhileClosed: Bool, at uptime: Double) -> Bool {
        if isAnyOpen { wasWatched = true }
        let stands = pausesWhenClosed && wasWatched && !isAnyOpen && !sendsWhileClosed
        guard stands != isPaused else { return false }
        left = seconds(at: uptime)
        runningSince = stands ? nil : uptime
        return true
    }
}
