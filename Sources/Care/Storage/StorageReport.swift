import MailKernelAPI

/// How much room everything takes, as Settings shows it.
package struct StorageReport: Sendable, Hashable {
    /// An account that takes more is warned of (FR-SET-03).
    static let accountWarning = 2_000_000_000
    static let programWarning = 5_000_000_000

    package struct PerAccount: Sendable, Hashable {
        package var usage: StorageUsage.PerAccount
        package var isOverWarning: Bool { usage.total > accountWarning }
    }

    package var accounts: [PerAccount]
    package var models: Int
    /// Everything, models included.
    package var total: Int
    /// What clearing the cache frees.
    package var clearable: Int
    package var isOverWarning: Bool { total > Self.programWarning }

    package init(_ usage: StorageUsage, models: Int) {
        accounts = usage.accounts.map { PerAccount(usage: $0) }
        self.models = models
        total = usage.total + models
        clearable = usage.clearable
    }
}
