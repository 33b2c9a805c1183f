import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Brings the emails of an account into the copy.
struct ReplicaEmails {
    private static let pageSize = 200
    private static let bodiesAtOnce = 16

    let source: MailStore
    let copy: MailStore
    let accountID: Id<Account>

    private var reader: EmailReader {
        EmailReader(
            store: source, accountID: accountID, readsInsights: source.keepsInsights && copy.keepsInsights)
    }

    /// What changed since the state that the copy has reached, or everything.
    func follow() async throws {
        let notes = ReplicaNotes(copy: copy)
        guard var state = try await notes.state(of: .email, in: accountID) else { return try await fill() }
        do {
            while true {
                try Task.checkCancellation()
                let changes = try await source.read.changes(
                    of: .email, in: accountID, since: state, limit: Self.pageSize)
                guard changes.newState != state else { return }
                try await refresh((changes.created + changes.updated + changes.destroyed).map { Id($0) })
                try await copy.commit([ReplicaNotes.reached(changes.newState, of: .email, in: accountID)])
                state = changes.newState
                guard changes.hasMoreChanges else { return }
            }
        } catch StorageError.cannotCalculateChanges {
            try await fill()
        }
    }

    /// Makes these emails what they are in the store.
    func refresh(_ ids: [Id<Email>]) async throws {
        let emails = try await source.read.emails(ids, in: accountID).map(\.email)
        try await take(emails)
        let gone = Set(ids).subtracting(emails.map(\.id))
        try await destroy(Array(gone))
    }

    /// Everything, newest first. What is there already is not read again, so an interrupted filling continues.
    private func fill() async throws {
        let state = try await source.read.state(of: .email, in: accountID)
        var seen: Set<Id<Email>> = []
        var page = try await reader.page(after: nil)
        while let last = page.last {
            try Task.checkCancellation()
            seen.formUnion(page.map(\.email.id))
            try await take(page.map(\.email))
            page = try await reader.page(after: last.email.id.rawValue)
        }
        let own = EmailReader(store: copy, accountID: accountID)
        var gone: [Id<Email>] = []
        page = try await own.page(after: nil)
        while let last = page.last {
            gone += page.map(\.email.id).filter { !seen.contains($0) }
            page = try await own.page(after: last.email.id.rawValue)
        }
        try await destroy(gone)
        try await copy.commit([ReplicaNotes.reached(state, of: .email, in: accountID)])
    }

    private func take(_ emails: [Email]) async throws {
        let there = try await copy.read.emails(emails.map(\.id), in: accountID)
        let known = Dictionary(there.map { ($0.email.id, $0.email) }) { first, _ in first }
        var patches: [StorageChange] = []
        var missing: [Email] = []
        for email in emails {
            if let old = known[email.id], let patch = old.patch(to: email) {
                if !patch.isEmpty { patches.append(.updateEmail(patch)) }
            } else {
                missing.append(email)
            }
        }
        if !patches.isEmpty { try await copy.commit(patches) }
        while !missing.isEmpty {
            try Task.checkCancellation()
            try await put(Array(missing.prefix(Self.bodiesAtOnce)))
            missing.removeFirst(min(Self.bodiesAtOnce, missing.count))
        }
    }

    private func put(_ emails: [Email]) async throws {
        let bodies = try await emails.inParallel { email in
            try await source.read.body(of: email.id, in: accountID)
        }
        // Without a body, it was destroyed meanwhile.
        let found = zip(emails, bodies).compactMap { email, body in body.map { (email, $0) } }
        var changes = found.map { StorageChange.putEmail($0, $1) }
        for record in try await reader.blobs(of: found) + reader.notes(on: found.map(\.0.id)) {
            switch record {
            case .blob(let info): try await BlobCopy(info: info, source: source).write(to: copy)
            case .remote(let reference): changes.append(.putRemote(reference))
            case .insight(let insight): changes.append(.putInsight(insight))
            default: break
            }
        }
        if !changes.isEmpty { try await copy.commit(changes) }
    }

    private func destroy(_ ids: [Id<Email>]) async throws {
        for slice in ids.slices(of: Self.pageSize) {
            let there = try await copy.read.emails(Array(slice), in: accountID).map(\.email)
            guard !there.isEmpty else { continue }
            try await copy.commit(there.map { .destroyEmail($0.id, in: accountID) })
            for email in there { try await copy.removeBlob(email.blobID, in: accountID) }
        }
    }
}

extension Email {
    /// What makes it the other one; nil if that takes more, as it may with a draft.
    fileprivate func patch(to other: Email) -> EmailUpdate? {
        var same = self
        same.keywords = other.keywords
        same.mailboxIDs = other.mailboxIDs
        guard same == other, !other.keywords.contains(.draft) || self == other else { return nil }
        return EmailUpdate(self, keywords: other.keywords, mailboxIDs: other.mailboxIDs)
    }
}
