import MailKernelAPI

/// Why something could not be done in an account's folder.
enum FolderError: Error {
    /// What a mail service would say: no such mailbox, and the like.
    case account(AccountError)
    /// There is no space on the disk.
    case full
    /// The disk or its permissions are in the way.
    case unusable(String)
    /// The index is not one.
    case damaged(String)
    /// The folder was written by a later version.
    case newerFormat
    case closed
    case cancelled

    static let noDigest = Self.unusable("SHA-256 is not available on this system")

    /// The same in the words of the contract.
    var forTheKernel: AccountError {
        switch self {
        case .account(let error): error
        case .full:
            .local(reason: "The disk is full. Free some space and try again. Earlier changes are kept.")
        case .unusable(let reason):
            .local(reason: "The folder that keeps this account's mail cannot be used: \(reason).")
        case .damaged(let reason):
            .local(
                reason: "The index of this account's mail is damaged (\(reason)). Restart the program.")
        case .newerFormat:
            .local(
                reason: "This account's mail was last used by a newer version. Please update this program.")
        case .closed: .unreachable(host: "this device", reason: "The mailbox was closed.")
        case .cancelled: .cancelled
        }
    }
}

/// Runs the body, and says what went wrong in the words of the contract.
func forTheKernel<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(FolderError) -> Answer
) async throws(AccountError) -> Answer {
    do throws(FolderError) {
        return try await body()
    } catch {
        throw error.forTheKernel
    }
}
