import FoundationEssentials
import MailKernelAPI
import StoreRules

// MARK: What the server calls it

extension AccountCommit {
    func put(_ ref: RemoteRef) throws(StorageError) {
        guard let email = try database.emailRow(ref.emailID, account: row) else {
            throw .notFound("email \(ref.emailID)")
        }
        // One name per email and feed, one email per name: the later note replaces both.
        try database.run(
            "INSERT OR REPLACE INTO remote VALUES (?, ?, ?, ?)", .integer(row), .id(ref.feed),
            .id(ref.remoteID), .integer(email))
    }

    func removeRemote(_ remoteID: RemoteMessageID, feed: FeedID) throws(StorageError) {
        try database.run(
            "DELETE FROM remote WHERE account = ? AND feed = ? AND remote = ?", .integer(row), .id(feed),
            .id(remoteID))
    }
}

// MARK: Insights

extension AccountCommit {
    /// The user's choice stays, whatever a model finds later.
    func put(_ insight: EmailInsight) throws(StorageError) {
        guard let email = try database.emailRow(insight.emailID, account: row) else {
            throw .notFound("email \(insight.emailID)")
        }
        let former = try database.first(
            "SELECT category, corrected, bytes FROM insight WHERE email = ?", [.integer(email)]
        ) { (category: $0.text(0), isCorrected: $0.flag(1), bytes: $0.int(2)) }
        var category = insight.category.rawValue
        var isCorrected = insight.isCorrected
        if let former, former.isCorrected, !isCorrected {
            category = former.category
            isCorrected = true
        }
        let bytes = Usage.bytes(of: insight)
        try database.run(
            "INSERT OR REPLACE INTO insight VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(email),
            .integer(row), .text(insight.modelID), .text(category), .flag(isCorrected), .integer(bytes),
            .optional(insight.summary), .blob(Embedding.data(insight.embedding)))
        touchedInsights.insert(email)
        mailBytes += bytes - (former?.bytes ?? 0)
        isQueryAnswerChanged = true
    }
}
