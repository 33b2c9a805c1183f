import FoundationEssentials
import MailKernelAPI

/// How the list of a message can be left, and whether the user has done so.
package struct UnsubscribeView: Sendable {
    package let emailID: Id<Email>
    package let list: MailingList
    /// The best first; empty if the message offers none that can be used.
    package let methods: [UnsubscribeMethod]
    /// What the user did last.
    package var record: Unsubscription?
    package var progress = SendingProgress.none
    /// When its message leaves, while it can still be taken back.
    package var sendAt: Date?
    /// The message came although the user had left the list in time.
    package var isStillSending = false

    /// Whether the list was asked, or is being asked.
    package var isDone: Bool { [.waiting, .sending, .sent].contains(progress) }
}

/// Why a list was not left.
package enum UnsubscribeError: Error, Sendable, Hashable {
    case notFound
    /// The message does not offer this way.
    case notOffered
    /// The list was already asked in this way.
    case alreadyDone
    /// The server did not do it. The sentence is for the user.
    case failed(String)

    package var sentence: String {
        switch self {
        case .notFound: "This message is not from a mailing list that can be left."
        case .notOffered: "This message does not offer this way to unsubscribe."
        case .alreadyDone: "You have already unsubscribed from this list."
        case .failed(let sentence): sentence
        }
    }
}
