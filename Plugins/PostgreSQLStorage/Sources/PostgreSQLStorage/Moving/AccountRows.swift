import MailKernelAPI

/// What a move needs of a server besides copying.
extension Connection {
    /// Commits to the account wait until the transaction has ended. False if it is not here.
    func lockAccount(_ account: Int) throws(StorageError) -> Bool {
        let find = "SELECT account FROM account WHERE account = $1 FOR UPDATE"
        return try first(find, [.integer(account)]) { _ in true } ?? false
    }

    func oldestTransaction() throws(StorageError) -> String {
        try first("SELECT pg_snapshot_xmin(pg_current_snapshot())::text") { $0.text(0) } ?? ""
    }

    /// Never deletes the rows of an account that is here, whatever the map says.
    func refuseOwner(of account: Int) throws(StorageError) {
        guard try first("SELECT 1 FROM account WHERE account = $1", [.integer(account)], { _ in true }) == nil
        else {
            throw .corrupt(reason: "an account is on two servers")
        }
    }
}
