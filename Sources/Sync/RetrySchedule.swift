/// How long to wait before each retry, in seconds. These are all pauses after failed calls of a service.
package struct RetrySchedule: Sendable {
    /// An account, or watching it, that failed as a whole.
    package static let account = RetrySchedule([5, 15, 45], then: 120)
    /// One mailbox that cannot be read while the rest can: there is less urgency.
    package static let mailbox = RetrySchedule([5, 15, 45], then: 120, doublingTo: 1800)
    /// A refused sign-in, before the user is asked (FR-ACCT-04).
    package static let signIn = RetrySchedule([5, 15, 45])
    /// A change that the service refused, before it is undone (FR-SYNC-05).
    package static let change = RetrySchedule([5, 15, 45])
    /// A message whose id is looked for. The reading that follows the push usually finds it.
    package static let naming = RetrySchedule([0, 5, 15, 45], then: 45)
    /// A message that could not be submitted.
    package static let sending = RetrySchedule([30, 120, 480])
    /// The copy of a draft on the service.
    package static let copy = RetrySchedule([], then: 60, doublingTo: 3840)

    /// The longest pause that a service can request, and the one for a user who has to unlock something.
    package static let longestHold = 3600.0

    private let steps: [Double]
    private let rest: Double?
    /// No pause is longer. A saved date further ahead is from before the clock was set back.
    package let longest: Double

    private init(_ steps: [Double], then rest: Double? = nil, doublingTo longest: Double? = nil) {
        (self.steps, self.rest) = (steps, rest)
        self.longest = longest ?? rest ?? steps.last ?? 0
    }

    /// The pause after this many failures in a row; nil to give up.
    package func pause(after failures: Int) -> Double? {
        let step = max(0, failures - 1)
        if step < steps.count { return steps[step] }
        return rest.map { min($0 * Double(1 << min(step - steps.count, 16)), longest) }
    }
}
