import FoundationEssentials
import MailKernelAPI

/// A sign-in that the service does not renew. The kernel retries three times, after some seconds, before it
/// asks the user (FR-ACCT-04). Further callers get the same error without a request.
struct RefusedSignIn {
    private static let tries = 4
    /// Less than the kernel's first pause.
    private static let sharedFor: Double = 4
    /// A later attempt has a reason, so it is made.
    private static let givenUpFor: Double = 600

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
        let before = last.map { $0.isOf(signIn) && $0.count < Self.tries ? $0.count : 0 } ?? 0
        count = before + 1
    }

    /// Whether the service need not be asked.
    func holds(for signIn: (refreshToken: Secret, client: OAuthClient), at now: Date) -> Bool {
        let pause = count < Self.tries ? Self.sharedFor : Self.givenUpFor
        return isOf(signIn) && abs(now.timeIntervalSince(at)) < pause
    }

    private func isOf(_ signIn: (refreshToken: Secret, client: OAuthClient)) -> Bool {
        signIn.refreshToken == refreshToken && signIn.client == client
    }
}
