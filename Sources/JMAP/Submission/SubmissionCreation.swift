import Compose
import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// Creates an EmailSubmission: checks the message, the sender and the recipients.
struct SubmissionCreation {
    private static let maxRecipients = 500
    private static let maxSize = DraftContent.maxMessageBytes

    let context: RequestContext
    let account: Account

    func create(_ object: [String: JSONValue]) async throws(SetError) -> EmailSubmission {
        let known: Set = ["identityId", "emailId", "envelope"]
        if let unknown = object.keys.sorted().first(where: { !known.contains($0) && object[$0] != .null }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        let (kernel, accountID, isPage) = (context.kernel, account.id, context.client.isPage)
        guard
            try await SetError.wrapping({ try await kernel.mail.features(of: accountID) }).contains(
                .submission)
        else { throw SetError("forbiddenToSend", "This account cannot send mail.") }
        let identity = try await identity(object["identityId"])
        let stored = try await email(object["emailId"])
        try check(stored.email, identity)
        if object["envelope"] ?? .null == .null { try await checkRecipients(of: stored.email) }
        let envelope = try envelope(object["envelope"], of: stored.email, identity)
        let parameters = object["envelope"]?["mailFrom"]?["parameters"]?.objectValue ?? [:]
        let date = try FutureRelease.date(parameters, at: kernel.clock.now)
        return try await SetError.wrapping {
            let message = try await kernel.blobs.message(stored.email.blobID, in: accountID)
            return try await kernel.outbox.submit(
                message, of: stored, as: identity, envelope: envelope, pausesWhenClosed: isPage,
                at: date)
        }
    }

    private func identity(_ value: JSONValue?) async throws(SetError) -> Identity {
        guard let id = value?.stringValue.flatMap({ context.resolved($0) }) else {
            throw .invalidProperty("identityId", "is missing")
        }
        let (store, accountID) = (context.store, account.id)
        let found = try await SetError.wrapping { try await store.identities([Id(id)], in: accountID).first }
        guard let found else { throw .invalidProperty("identityId", "is not an identity of this account") }
        return found
    }

    private func email(_ value: JSONValue?) async throws(SetError) -> StoredEmail {
        guard let id = value?.stringValue.flatMap({ context.resolved($0) }) else {
            throw .invalidProperty("emailId", "is missing")
        }
        let (store, accountID) = (context.store, account.id)
        let found = try await SetError.wrapping { try await store.emails([Id(id)], in: accountID).first }
        guard let found else { throw .invalidProperty("emailId", "is not an email of this account") }
        return found
    }

    /// An invalid recipient must not be dropped silently.
    private func checkRecipients(of email: Email) async throws(SetError) {
        let (store, accountID) = (context.store, account.id)
        let body = try await SetError.wrapping { try await store.body(of: email.id, in: accountID) }
        for field in body?.headers ?? [] where ["to", "cc", "bcc"].contains(field.name.lowercased()) {
            let text = field.value.trimmingPrefix { $0.isWhitespace }
            guard !text.isEmpty, HeaderForm.groups(of: field.value).isEmpty else { continue }
            throw SetError(
                "invalidRecipients", "There is no address in “\(text.prefix(100))”.",
                details: ["invalidRecipients": [.string(String(text.prefix(100)))]])
        }
    }

    private func check(_ email: Email, _ identity: Identity) throws(SetError) {
        guard email.size <= Self.maxSize else {
            throw SetError(
                "tooLarge", "Messages of more than 36 MB cannot be sent.",
                details: ["maxSize": .number(Double(Self.maxSize))])
        }
        guard !email.header.from.isEmpty else {
            throw SetError("invalidEmail", "The message has no sender.", properties: ["from"])
        }
        guard email.header.from.allSatisfy({ Self.isSame($0.email, identity.email) }) else {
            throw SetError("forbiddenFrom", "The sender's address differs from the identity's.")
        }
    }

    private func envelope(
        _ value: JSONValue?, of email: Email, _ identity: Identity
    ) throws(SetError) -> Envelope {
        guard let value, value != .null else {
            let header = email.header
            return try checked(
                Envelope(mailFrom: identity.email, rcptTo: (header.to + header.cc + header.bcc).map(\.email)))
        }
        guard let from = value["mailFrom"]?["email"]?.stringValue, let list = value["rcptTo"]?.arrayValue
        else {
            throw .invalidProperty("envelope", "requires “mailFrom” and “rcptTo”")
        }
        guard list.allSatisfy({ ($0["parameters"]?.objectValue ?? [:]).isEmpty }) else {
            throw .invalidProperty("envelope", "must not have parameters for recipients")
        }
        let recipients = list.compactMap { $0["email"]?.stringValue }
        guard recipients.count == list.count else {
            throw .invalidProperty("envelope", "must contain addresses")
        }
        guard from.isEmpty || Self.isSame(from, identity.email) else {
            throw SetError("forbiddenMailFrom", "This identity may not send from that address.")
        }
        return try checked(Envelope(mailFrom: from, rcptTo: recipients))
    }

    private func checked(_ envelope: Envelope) throws(SetError) -> Envelope {
        var seen: Set<String> = []
        let recipients = envelope.rcptTo.filter { seen.insert($0.lowercased()).inserted }
        guard !recipients.isEmpty else { throw SetError("noRecipients", "Add at least one recipient.") }
        guard recipients.count <= Self.maxRecipients else {
            throw SetError(
                "tooManyRecipients", "A message can have at most \(Self.maxRecipients) recipients.",
                details: ["maxRecipients": .number(Double(Self.maxRecipients))])
        }
        let invalid = recipients.filter { !Self.isAddress($0) }
        guard invalid.isEmpty else {
            throw SetError(
                "invalidRecipients", "These are not addresses: \(invalid.joined(separator: ", ")).",
                details: ["invalidRecipients": .array(invalid.map { .string($0) })])
        }
        return Envelope(mailFrom: envelope.mailFrom, rcptTo: recipients)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.lowercased() == other.lowercased()
    }

    /// Something before and something after the last `@`, and nothing that ends a command of SMTP.
    private static func isAddress(_ text: String) -> Bool {
        guard let at = text.lastIndex(of: "@"), text.utf8.count <= 320 else { return false }
        let domain = text[text.index(after: at)...]
        return at > text.startIndex && !domain.isEmpty && !domain.hasPrefix(".") && !domain.hasSuffix(".")
            && !text.unicodeScalars.contains {
                $0.value <= 0x20 || $0.value == 0x7F || $0 == "<" || $0 == ">"
            }
    }
}
