import FoundationEssentials
import MailKernelAPI
import Store

/// Tells the user that a message is a draft again because the program ended during its undo countdown.
struct NotSentNotice {
    /// The page shows the same sentence where it followed the message itself, and tells it once.
    private static let text = "Your message was not sent. It is in Drafts."

    static func change(for submission: EmailSubmission, at date: Date) throws -> StorageChange {
        let notice = Notice(
            accountID: submission.accountID, text: text, at: date, emailID: submission.emailID)
        return try notice.change(id: "not-sent-\(submission.id)")
    }
}
