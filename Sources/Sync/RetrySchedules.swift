import MailKernelAPI

/// The pauses after failures. `RetrySchedule.guessing` is in `Secrets`.
extension RetrySchedule {
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
    /// An attachment of a draft that only the service has.
    package static let attachment = RetrySchedule([], then: 30)
    /// Work of the composer or the outbox while the store fails or the account cannot be reached.
    package static let store = RetrySchedule([], then: 30)

    /// The longest pause that a service can request, and the one for a user who has to unlock something.
    package static let longestHold = 3600.0
}
