import Digest
import FoundationEssentials
import MailKernelAPI

/// How many records of a kind there are, and the sum of their digests, which does not depend on their order.
struct RecordTally: Sendable, Equatable {
    private(set) var count = 0
    /// A number of 256 bits, lowest first.
    private var sum: [UInt64] = [0, 0, 0, 0]

    /// - Parameter digest: a SHA-256.
    mutating func add(_ digest: Data) {
        count += 1
        let bytes = [UInt8](digest)
        var carry = false
        for index in sum.indices {
            let part = bytes[(8 * index)..<(8 * index + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (partial, first) = sum[index].addingReportingOverflow(part)
            let (total, second) = partial.addingReportingOverflow(carry ? 1 : 0)
            (sum[index], carry) = (total, first || second)
        }
    }
}

extension MovedRecord {
    /// A SHA-256 over the record, the same for equal records of any store.
    ///
    /// - Parameter bytes: the digest of a blob's bytes.
    func digest(bytes: Data = Data()) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        guard let digest = SHA256.of(try encoder.encode(canonical) + bytes) else {
            throw MoveProblem.noDigest
        }
        return digest
    }

    private var canonical: any Encodable {
        switch self {
        case .account(let account): account
        case .mailbox(let stored): CanonicalMailbox(stored)
        case .identity(let identity): identity
        case .email(let email, let body): CanonicalEmail(email, body)
        case .remote(let reference): reference
        case .insight(let insight): insight
        case .submission(let submission): Self.withoutThread(submission)
        case .document(let document): document
        case .contact(let contact): contact
        case .blob(let info): info
        }
    }

    /// Threads have other ids in another store.
    private static func withoutThread(_ submission: EmailSubmission) -> EmailSubmission {
        var submission = submission
        submission.threadID = nil
        return submission
    }
}

/// Threads can be merged by rules that are newer than the mail, so the counts of threads are left out.
private struct CanonicalMailbox: Encodable {
    let mailbox: Mailbox
    let total: Int
    let unread: Int

    init(_ stored: StoredMailbox) {
        mailbox = stored.mailbox
        total = stored.counts.totalEmails
        unread = stored.counts.unreadEmails
    }
}

/// An email whose sets have an order.
private struct CanonicalEmail: Encodable {
    let email: Email
    let body: EmailBody
    let mailboxes: [String]
    let keywords: [String]

    init(_ email: Email, _ body: EmailBody) {
        var rest = email
        rest.mailboxIDs = []
        rest.keywords = []
        self.email = rest
        self.body = body
        mailboxes = email.mailboxIDs.map(\.rawValue).sorted()
        keywords = email.keywords.map(\.rawValue).sorted()
    }
}
