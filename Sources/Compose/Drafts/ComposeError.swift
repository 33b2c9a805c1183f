import MailKernelAPI

/// Why a draft cannot be written, saved or sent.
package enum ComposeError: Error, Sendable, Hashable {
    /// The account has no address to send from.
    case noIdentity
    /// This draft no longer exists.
    case notFound
    /// It is being sent: cancel sending before changing it.
    case isBeingSent
    /// It has no content.
    case empty
    /// There is no such attachment.
    case noBlob(Id<Blob>)
    case tooLarge
    /// The problems that prevent sending.
    case problems([DraftProblem])

    package var sentence: String {
        switch self {
        case .noIdentity: "This account has no address to send from."
        case .notFound: "This draft no longer exists."
        case .isBeingSent: "This draft is being sent. Cancel sending first."
        case .empty: "The draft is empty."
        case .noBlob: "This attachment does not exist."
        case .tooLarge: "The draft is too large to save."
        case .problems(let problems): problems.filter(\.blocksSending).map(\.text).joined(separator: " ")
        }
    }
}
