import FoundationEssentials
import MailKernelAPI

/// One try to hand a message over, and what it makes of the submission.
struct SendAttempt {
    let session: any AccountSession
    let now: Date

    /// - Parameter mark: stores that the message may be out from here on, before it can be.
    func carryOut(
        _ submission: EmailSubmission, _ message: any ByteSource,
        mark: @Sendable (EmailSubmission) async throws -> Void
    ) async throws -> EmailSubmission {
        var submission = submission
        submission.tries += 1
        do {
            if submission.mayHaveBeenSent, let messageID = try await OutgoingMessage.messageID(of: message),
                try await session.findSent(messageID: messageID)
            {
                return sent(
                    submission, SMTPReply(code: 250, text: "It was found among the sent messages."), [:])
            }
            submission.mayHaveBeenSent = true
            try await mark(submission)
            switch try await session.submit(message, envelope: submission.envelope) {
            case .accepted(let reply, let refused): return sent(submission, reply, refused)
            case .rejected(let reply, let refused): return rejected(submission, reply, refused)
            case .unknown:
                submission.sendState = .queued
                submission.failure = "The connection was lost before the server confirmed the message."
                return submission
            }
        } catch let error as AccountError {
            // Nothing was handed over, for certain.
            submission.mayHaveBeenSent = false
            submission.failure = error.sentence
            submission.sendState = error.isWorthTryingAgain ? .queued : .failed
            return submission
        }
    }

    private func sent(
        _ submission: EmailSubmission, _ reply: SMTPReply, _ refused: [String: SMTPReply]
    ) -> EmailSubmission {
        var submission = submission
        submission.sendState = .sent
        submission.mayHaveBeenSent = false
        submission.failure = nil
        for recipient in submission.envelope.rcptTo {
            let answer = refused[recipient]
            submission.deliveryStatus[recipient] = DeliveryStatus(
                smtpReply: (answer ?? reply).line, delivered: answer == nil ? .unknown : .no)
        }
        return submission
    }

    private func rejected(
        _ submission: EmailSubmission, _ reply: SMTPReply, _ refused: [String: SMTPReply]
    ) -> EmailSubmission {
        var submission = submission
        submission.mayHaveBeenSent = false
        submission.failure = reply.text
        submission.sendState = reply.isTransient ? .queued : .failed
        for recipient in submission.envelope.rcptTo {
            submission.deliveryStatus[recipient] = DeliveryStatus(
                smtpReply: (refused[recipient] ?? reply).line, delivered: reply.isTransient ? .queued : .no)
        }
        return submission
    }
}

extension SMTPReply {
    /// As a server would write it, on one line.
    fileprivate var line: String {
        let words = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ["\(code)", enhancedCode, words].compactMap { $0 }.joined(separator: " ")
    }
}

extension AccountError {
    fileprivate var isWorthTryingAgain: Bool {
        switch self {
        case .refused, .unsupported, .invalid, .notFound, .denied: false
        default: true
        }
    }
}
