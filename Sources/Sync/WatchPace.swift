/// Limits how often mail is read if a service reports changes endlessly.
struct WatchPace {
    /// How many reports are handled without a pause.
    private static let burst = 60.0
    /// How often another report is handled after that.
    private static let interval = Duration.seconds(1)

    private var due = Self.burst
    private var last = ContinuousClock.now

    /// How long the next report has to wait; nil for not at all.
    mutating func wait(at now: ContinuousClock.Instant = .now) -> Duration? {
        due = min(Self.burst, due + (now - last) / Self.interval)
        last = now
        due -= 1
        return due >= 0 ? nil : Self.interval * -due
    }
}
