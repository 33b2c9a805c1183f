import MailKernelAPI

/// Why a draft cannot be written, kept or sent.
package enum ComposeError: Error, Sendable, Hashable {
    /// The account has no address to send from.
    case noIdentity
    /// There is no such draft.
    case notFound
    /// It is being sent: it has to be called back before it can be changed.
    case isBeingSent
    /// There is nothing in it that would be missed.
    case empty
    /// There is no such attachment.
    case noBlob(Id<Blob>)
    case tooLarge
    /// What keeps it from being sent.
    case problems([DraftProblem])

    package var sentence: String {
        switch self {
        case .noIdentity: "This account has no address to send from."
        case .notFound: "There is no such draft."
        case .isBeingSent: "It is being sent. Cancel that first."
        case .empty: "There is nothing in it."
        case .noBlob: "There is no such attachment."
        case .tooLarge: "It is too large to be kept."
        case .problems(let problems): problems.filter(\.blocksSending).map(\.text).joined(separator: " ")
        }
    }
}
