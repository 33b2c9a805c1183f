import MailKernelAPI
import Store

/// Copies the records of one store into another, from a given point on.
struct RecordMove {
    let source: MailStore
    let destination: MailStore
    let accounts: [Account]
    /// Called with the number of emails in each commit.
    let report: (Int) -> Void

    private var keepsInsights: Bool { source.keepsInsights && destination.keepsInsights }

    /// Stops between two commits if the task is canceled.
    func run(_ start: MoveProgress) async throws {
        var progress = start
        let tasks = MoveTask.all(of: accounts)
        let reader = RecordReader(store: source, readsInsights: keepsInsights)
        var division: ContactDivision?
        while progress.task < tasks.count {
            try Task.checkCancellation()
            let task = tasks[progress.task]
            let portion = try await reader.portion(of: task, after: progress.after)
            if task == .contacts, division == nil {
                division = try await ContactDivision(
                    reader.contacts(), among: accounts.map(\.id).sorted(), of: source)
            }
            if case .threads(let id) = task {
                try await ThreadMending(source: source, destination: destination, accountID: id).run()
            }
            let changes = try await changes(for: portion.records, division)
            if portion.next == nil { progress.task += 1 }
            progress.after = portion.next
            guard !changes.isEmpty else { continue }
            try await destination.commit(changes + [try progress.change])
            report(portion.records.count { $0.kind == .emails })
        }
        try await destination.commit([try progress.change])
    }

    /// Blobs come first: they are there before what names them.
    private func changes(
        for records: [MovedRecord], _ division: ContactDivision?
    ) async throws -> [StorageChange] {
        var changes: [StorageChange] = []
        var contacts: [Contact] = []
        for record in records {
            switch record {
            case .account(let account): changes.append(.putAccount(account))
            case .mailbox(let stored): changes.append(.putMailbox(stored.mailbox))
            case .identity(let identity): changes.append(.putIdentity(identity))
            case .email(let email, let body): changes.append(.putEmail(email, body))
            case .remote(let reference): changes.append(.putRemote(reference))
            case .insight(let insight): changes.append(.putInsight(insight))
            case .submission(let submission):
                changes.append(.putSubmission(try await inNewThread(submission)))
            case .document(let document): changes.append(.putDocument(document))
            case .contact(let contact): contacts.append(contact)
            case .blob(let info): try await BlobCopy(info: info, source: source).write(to: destination)
            }
        }
        return changes + (division?.changes(for: contacts) ?? [])
    }

    /// Threads have other ids in the new store.
    private func inNewThread(_ submission: EmailSubmission) async throws -> EmailSubmission {
        let accountID = submission.accountID
        guard let id = submission.threadID,
            let old = try await source.read.threads([id], in: accountID).first,
            let email = try await destination.read.emails(Array(old.emailIDs.prefix(1)), in: accountID).first
        else { return submission }
        var submission = submission
        submission.threadID = email.threadID
        return submission
    }
}
