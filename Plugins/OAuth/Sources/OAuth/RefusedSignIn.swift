import FoundationEssentials
import MailKernelAPI

/// A sign-in that the service does not renew. The kernel retries three times, after some seconds, before it
/// asks the user (FR-ACCT-04). Further callers get the same error without a request.
struct RefusedSignIn {
    /// How long a refusal holds: less than the kernel's first pause while it retries. A later attempt has a reason,
    /// so it is made.
    private static let holding = RetrySchedule([4, 4, 4], then: 600)

    let refusal: TokenFailure.Refusal
    private let refreshToken: Secret
    private let client: OAuthClient
    private let at: Date
    private let count: Int

    init(
        _ signIn: (refreshToken: Secret, client: OAuthClient), _ refusal: TokenFailure.Refusal, at date: Date,
        after last: RefusedSignIn?
    ) {
        self.refusal = refusal
        (refreshToken, client) = signIn
        at = date
        let before = last.map { $0.isOf(signIn) && $0.pause < Self.holding.longest ? $0.count : 0 } ?? 0
        count = before + 1
    }

    /// Whether the service need not be asked.
    func holds(for signIn: (refreshToken: Secret, client: OAuthClient), at now: Date) -> Bool {
        isOf(signIn) && abs(now.timeIntervalSince(at)) < pause
    }

    private var pause: Double { Self.holding.pause(after: count) ?? 0 }

    private func isOf(_ signIn: (refreshToken: Secret, client: OAuthClient)) -> Bool {
        signIn.refreshToken == refreshToken && signIn.client == client
    }
}
