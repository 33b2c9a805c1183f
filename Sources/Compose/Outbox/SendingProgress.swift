import MailKernelAPI

/// How far a message has come that the user sent with one click.
package enum SendingProgress: String, Sendable {
    /// It was not sent, or it was taken back.
    case none
    /// It can still be taken back.
    case waiting
    case sending, failed, sent
}

extension EmailSubmission {
    var progress: SendingProgress {
        switch sendState {
        case .none: .none
        case .sent: .sent
        case .failed: .failed
        case .queued, .sending: undoStatus == .pending ? .waiting : .sending
        }
    }
}
