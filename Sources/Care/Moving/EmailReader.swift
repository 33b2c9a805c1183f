import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Reads the emails of an account, newest first.
struct EmailReader: Sendable {
    /// At most this many emails are in memory at once, fewer if they are large.
    private static let most = 200
    private static let mostBytes = 8_000_000
    private static let bodiesAtOnce = 8

    let store: MailStore
    let accountID: Id<Account>
    var readsInsights = false

    /// Emails without their bodies, after this one.
    func page(after: String?) async throws -> [StoredEmail] {
        let query = EmailQuery(
            in: [accountID], window: after.map { .anchor(Id($0), offset: 1) } ?? .position(0),
            limit: Self.most)
        let ids = try await store.read.queryEmails(query).hits.map(\.emailID)
        let emails = try await store.read.emails(ids, in: accountID)
        guard emails.count == ids.count else { throw MoveProblem.unreadable }
        return emails
    }

    func portion(after: String?) async throws -> RecordPortion {
        let page = try await page(after: after)
        var portion = RecordPortion()
        var bytes = 0
        var taken: [Email] = []
        while taken.count < page.count, bytes < Self.mostBytes {
            let group = page.dropFirst(taken.count).prefix(Self.bodiesAtOnce).map(\.email)
            let bodies = try await group.inParallel { email in try await body(of: email) }
            for (email, body) in zip(group, bodies) {
                portion.records.append(.email(email, body))
                bytes += body.bytes
            }
            portion.records += try await blobs(of: Array(zip(group, bodies)))
            taken += group
        }
        portion.records += try await notes(on: taken.map(\.id))
        portion.next = page.count < Self.most && taken.count == page.count ? nil : taken.last?.id.rawValue
        return portion
    }

    private func body(of email: Email) async throws -> EmailBody {
        guard let body = try await store.read.body(of: email.id, in: accountID) else {
            throw MoveProblem.unreadable
        }
        return body
    }

    func notes(on ids: [Id<Email>]) async throws -> [MovedRecord] {
        let references = try await store.read.remoteRefs(of: ids, in: accountID)
        let insights = readsInsights ? try await store.insights.insights(of: ids, in: accountID) : []
        return references.map { .remote($0) } + insights.map { .insight($0) }
    }

    /// A part of a message is only ever cached.
    func blobs(of emails: [(Email, EmailBody)]) async throws -> [MovedRecord] {
        let ids = emails.flatMap { email, body in
            [email.blobID] + body.structure.blobIDs.filter { BlobID($0).email != email.id }
        }
        return try await store.keptBlobs(ids, in: accountID).map { .blob($0) }
    }
}

extension EmailBody {
    /// About how much memory it takes.
    fileprivate var bytes: Int {
        values.values.reduce(0) { $0 + $1.value.utf8.count }
            + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension EmailBodyPart {
    fileprivate var blobIDs: [Id<Blob>] { (blobID.map { [$0] } ?? []) + subParts.flatMap(\.blobIDs) }
}
