import MailKernelAPI

/// Why a connection could not be made.
struct ConnectFailure: Error {
    let error: StorageError
    /// Whether the server answered and refused the sign-in.
    var isRefusal = false
    /// Whether the server did not answer.
    var isSilent = false

    init(_ reason: String, isRefusal: Bool = false, isSilent: Bool = false) {
        error = .unreachable(reason: reason)
        self.isRefusal = isRefusal
        self.isSilent = isSilent
    }

    init(_ error: StorageError) {
        self.error = error
    }

    /// Those of all servers as one.
    init(_ failures: [ConnectFailure]) {
        let reasons = failures.map { failure in
            if case .unreachable(let reason) = failure.error { reason } else { "\(failure.error)" }
        }
        let all = StorageError.unreachable(reason: reasons.joined(separator: "; "))
        error = failures.count == 1 ? failures[0].error : all
        isRefusal = failures.contains { $0.isRefusal }
    }
}
