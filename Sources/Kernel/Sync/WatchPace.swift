/// Keeps a service that reports changes without end from having its mail read without pause.
struct WatchPace {
    /// So many reports are taken up at once.
    private static let burst = 60.0
    /// Another one becomes due each so many seconds.
    private static let interval = Duration.seconds(1)

    private var due = Self.burst
    private var last = ContinuousClock.now

    /// How long the next report has to wait; nil if it need not.
    mutating func wait(at now: ContinuousClock.Instant = .now) -> Duration? {
        due = min(Self.burst, due + (now - last) / Self.interval)
        last = now
        due -= 1
        return due >= 0 ? nil : Self.interval * -due
    }
}
