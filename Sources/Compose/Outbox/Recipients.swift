import FoundationEssentials
import MailKernelAPI
import Store

/// A server takes or refuses each recipient by itself: what of a message is still to be handed over.
extension EmailSubmission {
    /// Recipients without a final result.
    var recipientsLeft: [String] {
        envelope.rcptTo.filter { (deliveryStatus[$0]?.delivered ?? .queued) == .queued }
    }

    /// It cannot be called back, and is not handed over to the same people again.
    var wasGivenToSomebody: Bool {
        deliveryStatus.values.contains { $0.delivered == .unknown || $0.delivered == .yes }
    }

    /// Delivered recipients are done; sending to the others ends, with a notice.
    mutating func giveUpTheRest() {
        let reason = failure ?? SendAttempt.tooLate
        for recipient in recipientsLeft {
            let last = deliveryStatus[recipient]?.smtpReply
            deliveryStatus[recipient] = DeliveryStatus(smtpReply: last ?? "554 \(reason)", delivered: .no)
        }
        sendState = .sent
        mayHaveBeenSent = false
        failure = nil
    }
}

/// A notice about recipients who did not get a sent message, with the server's words.
struct RefusalNotice {
    let store: MailStore

    func changes(for submission: EmailSubmission, at date: Date) async throws -> [StorageChange] {
        let missed = submission.envelope.rcptTo.compactMap { recipient -> String? in
            guard let status = submission.deliveryStatus[recipient] else { return nil }
            let isUncertain = status.smtpReply == SendAttempt.unconfirmed
            guard status.delivered == .no || isUncertain else { return nil }
            return isUncertain
                ? "It may not have reached \(recipient): the connection was lost."
                : "It did not reach \(recipient): \(status.smtpReply)"
        }
        guard !missed.isEmpty, let account = try await store.account(submission.accountID) else { return [] }
        let email = try await store.read.emails([submission.emailID], in: account.id).first?.email
        let subject = email?.header.subject ?? ""
        let text =
            (subject.isEmpty ? "A message without subject was sent." : "“\(subject)” was sent.")
            + " " + missed.joined(separator: " ")
        return [try Notice(account: account, text: text, at: date).change(id: "refused-\(submission.id)")]
    }
}
