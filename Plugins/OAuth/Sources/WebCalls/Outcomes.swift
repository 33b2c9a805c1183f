public import MailKernelAPI

extension [RemoteMutation] {
    /// Applies them one after the other. What the service refuses does not stop the others; a failure that concerns the
    /// whole account does.
    public func outcomes(
        isolation: isolated (any Actor)? = #isolation,
        _ apply: (RemoteMutation) async throws(AccountError) -> MutationOutcome
    ) async throws(AccountError) -> [MutationOutcome] {
        var outcomes: [MutationOutcome] = []
        for mutation in self {
            do throws(AccountError) {
                outcomes.append(try await apply(mutation))
            } catch {
                switch error {
                case .cancelled: throw error
                case .unsupported, .invalid, .notFound: outcomes.append(.refused(error))
                case .offline, .unreachable, .insecure, .authenticationRequired, .denied, .throttled,
                    .refused, .cursorExpired, .badAnswer, .secrets, .local:
                    outcomes.append(.failed(error))
                    if error.concernsWholeAccount {
                        let rest = count - outcomes.count
                        return outcomes + [MutationOutcome](repeating: .notTried, count: rest)
                    }
                }
            }
        }
        return outcomes
    }
}
