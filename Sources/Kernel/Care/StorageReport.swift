public import MailKernelAPI

/// How much room everything takes, as Settings shows it.
public struct StorageReport: Sendable, Hashable {
    /// An account that takes more is warned of (FR-SET-03).
    static let accountWarning = 2_000_000_000
    static let programWarning = 5_000_000_000

    public struct PerAccount: Sendable, Hashable {
        public var usage: StorageUsage.PerAccount
        public var isOverWarning: Bool { usage.total > accountWarning }
    }

    public var accounts: [PerAccount]
    public var models: Int
    /// Everything, models included.
    public var total: Int
    /// What clearing the cache frees.
    public var clearable: Int
    public var isOverWarning: Bool { total > Self.programWarning }

    init(_ usage: StorageUsage, models: Int) {
        accounts = usage.accounts.map { PerAccount(usage: $0) }
        self.models = models
        total = usage.total + models
        clearable = usage.clearable
    }
}

extension MailKernel {
    public func storageReport() async throws(StorageError) -> StorageReport {
        let usage = try await store.backend.usage()
        let models = await intelligence.models.all().reduce(0) { sum, entry in
            switch entry.model.status {
            case .notDownloaded: sum + entry.received
            case .downloading(let progress): sum + progress.received
            case .downloaded, .unusable: sum + entry.model.size
            }
        }
        return StorageReport(usage, models: models)
    }

    /// Removes data that can be downloaded or computed again. Returns the number of bytes freed.
    public func clearCache() async throws(StorageError) -> Int {
        try await store.backend.clearCache(includingInsights: true)
    }
}
