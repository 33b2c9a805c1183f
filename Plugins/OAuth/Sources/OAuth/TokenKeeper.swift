import FoundationEssentials
public import MailKernelAPI

/// Where a sign-in is kept.
public protocol SignInStore: Sendable {
    /// The refresh token and the client that it was given to.
    ///
    /// - Throws: `.authenticationRequired` if there is none.
    func signIn() async throws(AccountError) -> (refreshToken: Secret, client: OAuthClient)

    /// Keeps a refresh token that the service gave in place of the last one.
    func keep(_ refreshToken: Secret) async throws(AccountError)

    /// The service did not renew the sign-in, and says why.
    func refused(_ refusal: TokenFailure.Refusal, _ client: OAuthClient) async

    /// The service has renewed the sign-in.
    func accepted(_ client: OAuthClient) async
}

extension SignInStore {
    public func refused(_ refusal: TokenFailure.Refusal, _ client: OAuthClient) async {}
    public func accepted(_ client: OAuthClient) async {}
}

/// Provides a valid token.
///
/// It is renewed before it expires, and concurrent callers share the request. Access tokens are kept in
/// memory only.
public actor TokenKeeper {
    private struct Current {
        let token: Secret
        let since: Date
        let renewAt: Date
    }

    /// A failed renewal is retried after these pauses; then it counts as an outage.
    private static let renewals = RetrySchedule([2, 8, 30])
    /// An access token is used no more when it has this many seconds left.
    private static let margin: Double = 300

    private let endpoint: TokenEndpoint
    private let store: any SignInStore
    private let clock: any HostClock
    private var current: Current?
    private var refused: RefusedSignIn?
    private var renewal: (id: Int, task: Task<Void, Never>)?
    private var renewals = 0
    /// The current request, independent of its callers.
    private var requesting: Task<Result<Result<Secret, AccountError>, TokenFailure>, Never>?
    private var waiters: [Int: CheckedContinuation<Result<Secret, AccountError>, Never>] = [:]
    private var lastWaiter = 0

    public init(_ endpoint: TokenEndpoint, store: any SignInStore, clock: any HostClock) {
        self.endpoint = endpoint
        self.store = store
        self.clock = clock
    }

    /// A valid token.
    ///
    /// - Parameter refused: a token that a server has just refused: a new one is requested, unless another
    ///   caller already got one.
    /// - Throws: `.authenticationRequired` if the user must sign in again.
    public func token(refused: Secret? = nil) async throws(AccountError) -> Secret {
        if let current, current.token != refused, current.since <= clock.now, clock.now < current.renewAt {
            return current.token
        }
        lastWaiter += 1
        let id = lastWaiter
        let answer: Result<Secret, AccountError> = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
                waiters[id] = waiter
                if renewal == nil { begin() }
            }
        } onCancel: {
            Task { await self.leave(id) }
        }
        return try answer.get()
    }

    // MARK: Sharing

    private func begin() {
        renewals += 1
        let id = renewals
        renewal = (id, Task { [weak self] in await self?.renew(id) })
    }

    private func leave(_ id: Int) {
        waiters.removeValue(forKey: id)?.resume(returning: .failure(.cancelled))
        guard waiters.isEmpty else { return }
        renewal?.task.cancel()
        renewal = nil
    }

    private func finish(_ id: Int, _ answer: Result<Secret, AccountError>) {
        // Waiting tasks may belong to a later renewal.
        guard renewal?.id == id else { return }
        renewal = nil
        let all = waiters
        waiters = [:]
        for waiter in all.values { waiter.resume(returning: answer) }
    }

    // MARK: Renewing

    private func renew(_ id: Int) async {
        do throws(AccountError) {
            finish(id, .success(try await renewed()))
        } catch {
            finish(id, .failure(error))
        }
    }

    private func renewed() async throws(AccountError) -> Secret {
        var failure = TokenFailure.notUnderstood
        var failures = 0
        while true {
            let signIn = try await store.signIn()
            if let refused, refused.holds(for: signIn, at: clock.now) {
                throw TokenFailure.refused(refused.refusal).accountError(endpoint.service)
            }
            switch await request(signIn.refreshToken, signIn.client) {
            case .success(let answer):
                refused = nil
                let token = try answer.get()
                await store.accepted(signIn.client)
                return token
            case .failure(.refused(let refusal)):
                refused = RefusedSignIn(signIn, refusal, at: clock.now, after: refused)
                await store.refused(refusal, signIn.client)
                throw TokenFailure.refused(refusal).accountError(endpoint.service)
            case .failure(let error):
                guard error.isPassing else { throw error.accountError(endpoint.service) }
                failure = error
            }
            failures += 1
            guard let pause = Self.renewals.pause(after: failures) else { break }
            do throws(CancellationError) {
                try await clock.sleep(for: pause)
            } catch {
                throw .cancelled
            }
        }
        // A service that cannot answer says nothing about the sign-in.
        if case .network = failure { throw failure.accountError(endpoint.service) }
        throw .throttled(until: nil)
    }

    /// A request in a separate task: if it were canceled, the next refresh token could be lost. Callers share
    /// a pending request, even if its first caller has gone: services that issue each refresh token once
    /// treat a second use as theft, and end the sign-in.
    private func request(
        _ refreshToken: Secret, _ client: OAuthClient
    ) async -> Result<Result<Secret, AccountError>, TokenFailure> {
        if let requesting { return await requesting.value }
        let request = Task<Result<Result<Secret, AccountError>, TokenFailure>, Never> {
            [endpoint, store, clock] in
            do throws(TokenFailure) {
                let asked = clock.now
                let grant = try await endpoint.refresh(refreshToken, client)
                if let next = grant.refreshToken, next != refreshToken {
                    do throws(AccountError) {
                        try await store.keep(next)
                    } catch {
                        return .success(.failure(error))
                    }
                }
                take(grant, askedAt: asked)
                return .success(.success(grant.accessToken))
            } catch {
                return .failure(error)
            }
        }
        requesting = request
        defer { requesting = nil }
        return await request.value
    }

    private func take(_ grant: TokenGrant, askedAt: Date) {
        let margin = min(Self.margin, grant.lifetime / 5)
        current = Current(
            token: grant.accessToken, since: askedAt, renewAt: askedAt + grant.lifetime - margin)
    }
}
