import MailKernelAPI

/// How long to wait before the next try: 5, 15 and 45 seconds, then every two minutes.
struct RetryPauses: Sendable {
    private var steps: [Double] = [5, 15, 45]
    private var slower = 120.0

    mutating func next() -> Double { steps.isEmpty ? 120 : steps.removeFirst() }

    /// When all but one mailbox was read, there is less reason to press: at last it is half an hour.
    mutating func nextOfOne() -> Double {
        guard steps.isEmpty else { return steps.removeFirst() }
        defer { slower = min(slower * 2, 1800) }
        return slower
    }
}

/// How often a sign-in that is refused is tried again before the user is asked: after 5, 15 and 45 seconds
/// (FR-ACCT-04).
package struct SignInPatience: Sendable {
    private var pauses: [Double] = [5, 15, 45]

    package init() {}

    package mutating func next() -> Double? { pauses.isEmpty ? nil : pauses.removeFirst() }
}

extension AccountError {
    /// The service refused the sign-in.
    var isOfSignIn: Bool {
        switch self {
        case .authenticationRequired, .denied: true
        case .offline, .unreachable, .insecure, .throttled, .refused, .notFound, .cursorExpired, .badAnswer,
            .unsupported, .invalid, .secrets, .cancelled, .local:
            false
        }
    }
}
