import FoundationEssentials
import MailKernelAPI
import StoreRules
import Synchronization

/// On which server each account is, as far as this kernel knows. The server decides: one that no longer has an account
/// does not find it, and then the map is read again.
final class AccountMap: Sendable {
    private let servers = Mutex<[Id<Account>: String]>([:])

    func server(of id: Id<Account>) -> String? { servers.withLock { $0[id] } }

    func set(_ new: [Id<Account>: String]) { servers.withLock { $0 = new } }
}

extension Connection {
    /// At the home server.
    func readPlaces() throws(StorageError) -> [Id<Account>: String] {
        let places = try rows("SELECT id, server FROM account_place") { row in
            (row.id(0) as Id<Account>, row.text(1))
        }
        return Dictionary(places) { first, _ in first }
    }

    /// The record of an account that is elsewhere.
    func updatePlace(of account: Account, _ record: Data) throws(StorageError) {
        try run(
            "UPDATE account_place SET added = $2, record = $3, address = $4 WHERE id = $1", .id(account.id),
            .date(account.addedAt), .data(record), .text(account.address.replacing("\0", with: "")))
    }

    /// Rows of the map for accounts that have none, at the home server.
    func addPlaces() throws(StorageError) {
        let missing = try rows(
            """
            SELECT a.account, a.record FROM account a
            WHERE NOT EXISTS (SELECT 1 FROM account_place p WHERE p.account = a.account)
            """
        ) { row throws(StorageError) in
            (number: row.int(0), account: try JSONRecord.decode(Account.self, row.data(1)))
        }
        for (number, account) in missing { _ = try addPlace(of: account, number) }
    }

    /// False if there is one.
    func addPlace(of account: Account, _ number: Int) throws(StorageError) -> Bool {
        try run(
            """
            INSERT INTO account_place (account, id, address, server, wanted, added, record)
            VALUES ($1, $2, $3, 'home', 'home', $4, $5) ON CONFLICT DO NOTHING
            """, .integer(number), .id(account.id), .text(account.address.replacing("\0", with: "")),
            .date(account.addedAt), .data(try JSONRecord.encode(account))) == 1
    }
}
