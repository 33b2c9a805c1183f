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

    /// Removes all rows of an account from this server. Commits and a move to this server end at the first of them.
    func clear(_ account: Int) throws(StorageError) {
        for table in ["account", "arrival", "deed"] + Schema.tablesOfAccounts {
            try run("DELETE FROM \(table) WHERE account = $1", .integer(account))
        }
    }
}
