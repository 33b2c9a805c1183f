import MailKernelAPI
import MessageFormat

/// A warning or error about a draft before it is sent.
package struct DraftProblem: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case noRecipient, invalidAddress, imitatingAddress, emptySubject, emptyBody, bodyLarge,
            attachmentsLarge,
            attachmentsTooLarge, attachmentPending, attachmentFailed, missingAttachment, placeholderLeft
    }

    package var kind: Kind
    /// The property that it is about.
    package var field: String
    /// The address as typed, or the attachment's `blobId`.
    package var value: String?
    package var text: String

    package var blocksSending: Bool {
        switch kind {
        case .noRecipient, .invalidAddress, .attachmentsTooLarge, .attachmentFailed: true
        case .imitatingAddress, .emptySubject, .emptyBody, .bodyLarge, .attachmentsLarge, .attachmentPending,
            .missingAttachment, .placeholderLeft:
            false
        }
    }
}

extension DraftContent {
    /// The files of one message together, as Gmail counts them: before they are encoded.
    package static let maxAttachmentBytes = 25_000_000
    /// A whole message, encoded: that many bytes of files in Base64, with room for the text.
    package static let maxMessageBytes = 36_000_000
    /// From here on many servers refuse the message.
    private static let manyMessageBytes = 20_000_000
    private static let longBody = 100_000

    private var attachmentBytes: Int {
        carried.attachments.reduce(0) { $0 + max(0, min($1.size, 1 << 40)) }
    }

    /// The size of the message that it will be, about; attachments count as they are transferred.
    package var encodedSize: Int {
        let lines = carried.attachments.map { attachment in
            // Base64 in lines of 76 characters, and the part's header.
            let lines = (max(0, min(attachment.size, 1 << 40)) + 56) / 57
            return lines * 78 + 400 + (attachment.name?.utf8.count ?? 0) * 3
        }
        // As quoted-printable, and each element with its look.
        let text = body.utf8.count * 3 / 2 + (html?.utf8.count ?? 0) * 7 / 4
        let header = recipients.reduce(0) { $0 + $1.email.utf8.count + ($1.name?.utf8.count ?? 0) * 2 }
        return lines.reduce(0, +) + text + header + subject.utf8.count * 2 + 2000
    }

    package var problems: [DraftProblem] { problems(withPlaceholders: []) }

    /// - Parameter own: placeholders that only the user's templates have.
    package func problems(withPlaceholders own: Set<String>) -> [DraftProblem] {
        recipientProblems + imitations + textProblems + forgotten(own) + attachmentProblems
    }

    /// What the user wrote, by the property that it is in.
    var ownTexts: [(field: String, text: String)] {
        [("subject", subject), ("body", body.contains("{") ? WrittenText.of(text: body) : "")]
    }

    private var recipientProblems: [DraftProblem] {
        var problems: [DraftProblem] = []
        for (field, addresses) in [("to", to), ("cc", cc), ("bcc", bcc)] {
            for address in addresses {
                guard let problem = AddressReader.problem(with: address.email) else { continue }
                let typed = address.email.prefix(200)
                problems.append(
                    DraftProblem(
                        kind: .invalidAddress, field: field, value: address.email,
                        text: "“\(typed)” is not an address: \(problem.reason)"))
            }
        }
        if problems.count == recipients.count {
            problems.append(
                DraftProblem(kind: .noRecipient, field: "to", text: "Add at least one recipient."))
        }
        return problems
    }

    /// Addresses that imitate others, also those that were typed or pasted from a message.
    private var imitations: [DraftProblem] {
        [("to", to), ("cc", cc), ("bcc", bcc)].flatMap { field, addresses in
            addresses.compactMap { address in
                address.look.warning.map {
                    DraftProblem(kind: .imitatingAddress, field: field, value: address.email, text: $0)
                }
            }
        }
    }

    private var textProblems: [DraftProblem] {
        var problems: [DraftProblem] = []
        if subject.allSatisfy(\.isWhitespace) {
            problems.append(
                DraftProblem(kind: .emptySubject, field: "subject", text: "Send without subject?"))
        }
        if body.allSatisfy(\.isWhitespace), !showsImage {
            problems.append(DraftProblem(kind: .emptyBody, field: "body", text: "Send empty message?"))
        }
        if body.utf8.count > Self.longBody {
            problems.append(
                DraftProblem(
                    kind: .bodyLarge, field: "body",
                    text: "The text is longer than 100 KB. Some programs show only its beginning."))
        }
        return problems
    }

    /// What the user said and did not do.
    private func forgotten(_ own: Set<String>) -> [DraftProblem] {
        var problems = ownTexts.flatMap { field, text in
            Placeholders.left(in: text, besides: own).map { placeholder in
                DraftProblem(
                    kind: .placeholderLeft, field: field, value: placeholder,
                    text: "The message still contains “\(placeholder)”.")
            }
        }
        // A picture in the text, such as the logo in a quote, is not what these words are about.
        if carried.attachments.allSatisfy(\.isInline), let word = AttachmentWords.first(in: body) {
            problems.append(
                DraftProblem(
                    kind: .missingAttachment, field: "attachments", value: word,
                    text: "You wrote “\(word)”, but no file is attached."))
        }
        return problems
    }

    private var attachmentProblems: [DraftProblem] {
        var problems: [DraftProblem] = []
        let size = encodedSize
        if attachmentBytes > Self.maxAttachmentBytes {
            problems.append(
                DraftProblem(
                    kind: .attachmentsTooLarge, field: "attachments",
                    text: "The attachments are larger than 25 MB in total. Remove one to send the message."))
        } else if size > Self.maxMessageBytes {
            problems.append(
                DraftProblem(
                    kind: .attachmentsTooLarge, field: "body",
                    text: "The message, including its text, is larger than 36 MB. Shorten it to send it."))
        } else if size > Self.manyMessageBytes {
            problems.append(
                DraftProblem(
                    kind: .attachmentsLarge, field: "attachments",
                    text:
                        "The message will be \(size / 1_000_000) MB. Some mail servers refuse messages of this size."
                ))
        }
        for attachment in carried.attachments where attachment.isPending {
            let name = attachment.name ?? "An attachment"
            if let problem = attachment.problem {
                problems.append(
                    DraftProblem(
                        kind: .attachmentFailed, field: "attachments", value: attachment.blobID.rawValue,
                        text: "“\(name)” could not be fetched: \(problem) Try again, or remove it."))
            } else {
                problems.append(
                    DraftProblem(
                        kind: .attachmentPending, field: "attachments", value: attachment.blobID.rawValue,
                        text: "“\(name)” is not on this device yet. The message is sent once it is."))
            }
        }
        return problems
    }
}
