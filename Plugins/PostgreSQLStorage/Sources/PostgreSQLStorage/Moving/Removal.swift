import MailKernelAPI

/// A removed account that still has rows on a server.
struct Removal: Sendable {
    let account: Int
    let server: String
}

extension Connection {
    /// At the home server.
    func removals() throws(StorageError) -> [Removal] {
        try rows("SELECT account, server FROM account_removal ORDER BY account, server") {
            Removal(account: $0.int(0), server: $0.text(1))
        }
    }

    func forget(_ removal: Removal) throws(StorageError) {
        try run(
            "DELETE FROM account_removal WHERE account = $1 AND server = $2", .integer(removal.account),
            .text(removal.server))
    }

    /// Removes all rows of an account that is removed from this server. Commits and a move to this server end at the first
    /// of them. The objects in S3 are removed by their rows.
    func clearRemoved(_ account: Int) throws(StorageError) {
        try clearMoved(account, butFor: [ObjectTable.name])
        try doomObjects(of: account)
    }

    /// Removes all rows of an account that is not on this server, or is removed from it.
    func clearMoved(_ account: Int, butFor kept: Set<String> = []) throws(StorageError) {
        for table in ["account", "arrival", "deed", ObjectTable.name] + Schema.tablesOfAccounts
        where !kept.contains(table) {
            try run("DELETE FROM \(table) WHERE account = $1", .integer(account))
        }
    }
}
