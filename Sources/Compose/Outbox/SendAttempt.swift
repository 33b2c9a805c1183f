import FoundationEssentials
import MailKernelAPI
import Sync

/// An attempt to submit a message, and its effect on the submission.
struct SendAttempt {
    /// What kept the message from being sent, besides a refusal for good.
    enum Problem {
        /// Nothing can be sent from this account for now; that is no try of the message.
        case ofAccount(AccountError)
        /// - Parameter isSignedIn: whether the service let the account in.
        case ofMessage(isSignedIn: Bool)
        /// It was not offered to the service, and no further try could.
        case lasting
    }

    let session: any AccountSession
    let now: Date
    /// Its time is over: it is looked for once more, and not handed over again.
    var isTooLate = false

    static let tooLate = "send timeout"
    /// The placeholder for a missing reply of the server.
    static let unconfirmed = "451 4.4.2 The connection was lost before the server confirmed the message."
    private static let interrupted = "The result of sending could not be saved."

    /// The warning before a message that may have been sent is sent again.
    static let doubt =
        "The connection was lost after the message was handed over, so it may have been sent. "
        + "Ask the recipients before you send it again."

    /// - Parameter mark: stores that the message may be out from here on, before it can be.
    func carryOut(
        _ submission: EmailSubmission, _ message: any ByteSource,
        mark: @Sendable (EmailSubmission) async throws -> Void
    ) async throws -> (EmailSubmission, Problem?) {
        var submission = submission
        do {
            submission = try await handOver(submission, message, mark: mark)
            return (submission, submission.sendState == .queued ? .ofMessage(isSignedIn: true) : nil)
        } catch let error as AccountError {
            // Nothing was handed over now, for certain; an earlier try may still have been.
            submission.failure = error.sentence
            submission.sendState = .queued
            // An unreachable server counts as a try: the one for reading may work.
            if error.scope >= .account { return (submission, .ofAccount(error)) }
            submission.tries += 1
            guard error.retryOfSubmission != .never else {
                submission.sendState = .failed
                return (submission, .lasting)
            }
            return (submission, .ofMessage(isSignedIn: false))
        }
    }

    private func handOver(
        _ submission: EmailSubmission, _ message: any ByteSource,
        mark: @Sendable (EmailSubmission) async throws -> Void
    ) async throws -> EmailSubmission {
        var submission = submission
        if submission.mayHaveBeenSent {
            // If some recipients got the message, it is in Sent.
            if submission.wasGivenToSomebody { return unconfirmed(submission) }
            // The service may hold it, and what it holds cannot be found in Sent.
            if submission.isHandedOver, submission.failure != nil { return doubtful(submission) }
            guard let wasSent = try await wasSent(message) else { return doubtful(submission) }
            if wasSent {
                return accepted(
                    submission, SubmissionReply(code: 250, text: "Found in Sent."), [:])
            }
            // Only the user may risk a second copy.
            if submission.failure != nil, await !keepsSentCopies { return doubtful(submission) }
            if isTooLate { return late(submission) }
        }
        submission.mayHaveBeenSent = true
        // Should the end of this try not be noted, the next one knows that there was one.
        var marked = submission
        marked.failure = Self.interrupted
        try await mark(marked)
        let envelope = Envelope(
            mailFrom: submission.envelope.mailFrom, rcptTo: submission.recipientsLeft,
            holdUntil: submission.envelope.holdUntil.flatMap { $0 > now ? $0 : nil })
        switch try await session.submit(message, envelope: envelope) {
        case .accepted(let reply, let refused): return accepted(submission, reply, refused)
        case .rejected(let reply, let refused): return rejected(submission, reply, refused)
        case .unknown:
            submission.tries += 1
            if submission.wasGivenToSomebody { return unconfirmed(submission) }
            guard await keepsSentCopies, !submission.isHandedOver else { return doubtful(submission) }
            submission.sendState = .queued
            submission.failure = "The connection was lost before the server confirmed the message."
            return submission
        }
    }

    /// Whether the service saves sent messages itself, so that they can be found.
    private var keepsSentCopies: Bool {
        get async { await session.features.contains(.savesSentCopies) }
    }

    /// It may have been sent, and there is no place to look.
    private func doubtful(_ submission: EmailSubmission) -> EmailSubmission {
        var submission = submission
        submission.sendState = .failed
        submission.failure = Self.doubt
        return submission
    }

    private func late(_ submission: EmailSubmission) -> EmailSubmission {
        var submission = submission
        submission.sendState = .failed
        submission.mayHaveBeenSent = false
        submission.failure = Self.tooLate
        return submission
    }

    /// Whether the message of an earlier try with an unknown end has arrived; nil where there is no place to
    /// look.
    private func wasSent(_ message: any ByteSource) async throws -> Bool? {
        guard let messageID = try await OutgoingMessage.messageID(of: message) else { return false }
        do {
            return try await session.findSent(messageID: messageID)
        } catch AccountError.unsupported {
            return nil
        }
    }

    private func accepted(
        _ submission: EmailSubmission, _ reply: SubmissionReply, _ refused: [String: SubmissionReply]
    ) -> EmailSubmission {
        var submission = submission
        submission.tries += 1
        submission.mayHaveBeenSent = false
        submission.failure = nil
        var waiting: [String] = []
        for recipient in submission.recipientsLeft {
            let answer = refused[recipient]
            if let answer, answer.isTransient { waiting.append("\(recipient): \(answer.text)") }
            submission.deliveryStatus[recipient] = DeliveryStatus(
                smtpReply: answer?.refusal ?? reply.line(code: 250),
                delivered: answer.map { $0.isTransient ? .queued : .no } ?? .unknown)
        }
        submission.sendState = waiting.isEmpty ? .sent : .queued
        if !waiting.isEmpty {
            submission.failure = "Not all recipients were reached yet. " + waiting.joined(separator: " ")
        }
        return submission
    }

    /// Some have got it, and whether the others have cannot be told.
    private func unconfirmed(_ submission: EmailSubmission) -> EmailSubmission {
        var submission = submission
        for recipient in submission.recipientsLeft {
            submission.deliveryStatus[recipient] = DeliveryStatus(
                smtpReply: Self.unconfirmed, delivered: .unknown)
        }
        submission.sendState = .sent
        submission.mayHaveBeenSent = false
        submission.failure = nil
        return submission
    }

    private func rejected(
        _ submission: EmailSubmission, _ reply: SubmissionReply, _ refused: [String: SubmissionReply]
    ) -> EmailSubmission {
        var submission = submission
        submission.tries += 1
        submission.mayHaveBeenSent = false
        submission.failure = reply.text
        submission.sendState = reply.isTransient ? .queued : .failed
        for recipient in submission.recipientsLeft {
            submission.deliveryStatus[recipient] = DeliveryStatus(
                smtpReply: (refused[recipient] ?? reply).refusal, delivered: reply.isTransient ? .queued : .no
            )
        }
        return submission
    }
}

extension SendAttempt.Problem? {
    /// Whether there is to be another try.
    var isPassing: Bool { if case .ofMessage = self { true } else { false } }

    /// Whether the service said why the message was not sent.
    var isAnswer: Bool {
        switch self {
        case nil, .ofMessage(isSignedIn: true): true
        case .ofMessage, .ofAccount, .lasting: false
        }
    }
}

extension SubmissionReply {
    fileprivate var refusal: String { line(code: isTransient ? 451 : 554) }

    /// As an SMTP server would write it, on one line.
    ///
    /// - Parameter code: for services that name none.
    fileprivate func line(code: Int) -> String {
        let words = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ["\(smtp?.code ?? code)", smtp?.enhancedCode, words].compactMap { $0 }.joined(separator: " ")
    }
}
