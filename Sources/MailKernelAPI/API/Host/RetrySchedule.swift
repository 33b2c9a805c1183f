/// How long to wait before each retry of something that failed, in seconds.
///
///     static let renewal = RetrySchedule([2, 8, 30])
///     guard let pause = Self.renewal.pause(after: failures) else { throw error }
///     try await host.clock.sleep(for: pause)
public struct RetrySchedule: Sendable, Hashable, Codable {
    private let steps: [Double]
    private let rest: Double?
    /// No pause is longer. A saved date further ahead is from before the clock was set back.
    public let longest: Double

    /// - Parameters:
    ///   - steps: the first pauses.
    ///   - rest: the pause after those; nil to give up then.
    ///   - longest: where the pauses double from `rest` on, what they end at.
    public init(_ steps: [Double], then rest: Double? = nil, doublingTo longest: Double? = nil) {
        (self.steps, self.rest) = (steps, rest)
        self.longest = longest ?? rest ?? steps.last ?? 0
    }

    /// The pause after this many failures in a row; nil to give up.
    public func pause(after failures: Int) -> Double? {
        let step = max(0, failures - 1)
        if step < steps.count { return steps[step] }
        return rest.map { min($0 * Double(1 << min(step - steps.count, 16)), longest) }
    }
}
