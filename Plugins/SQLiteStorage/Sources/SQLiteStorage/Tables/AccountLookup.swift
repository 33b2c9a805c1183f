import FoundationEssentials
import MailKernelAPI
import StoreRules

/// An account as other tables refer to it.
struct AccountReference {
    var id: Id<Account>
    var row: Int64
    var born: Int
}

extension Database {
    func account(_ id: Id<Account>) throws(StorageError) -> AccountReference? {
        try first("SELECT row, born FROM account WHERE id = ?", [.id(id)]) {
            AccountReference(id: id, row: $0.int64(0), born: $0.int(1))
        }
    }

    func accountRows() throws(StorageError) -> [Int64] {
        try rows("SELECT row FROM account ORDER BY row") { $0.int64(0) }
    }

    func record(of id: Id<Account>) throws(StorageError) -> Account? {
        let record = try first("SELECT record FROM account WHERE id = ?", [.id(id)]) { $0.data(0) }
        guard let record else { return nil }
        return try JSONRecord.decode(Account.self, record)
    }

    /// The changes of an account, or of what belongs to none.
    func changeLog(of id: Id<Account>?) throws(StorageError) -> ChangeLog {
        guard let id else { return ChangeLog(database: self, account: 0, born: 0) }
        guard let account = try account(id) else { throw .notFound("account \(id)") }
        return ChangeLog(database: self, account: account.row, born: account.born)
    }

    func mailboxRow(_ id: Id<Mailbox>, account: Int64) throws(StorageError) -> Int64? {
        try integer("SELECT row FROM mailbox WHERE account = ? AND id = ?", .integer(account), .id(id))
    }

    func emailRow(_ id: Id<Email>, account: Int64) throws(StorageError) -> Int64? {
        try integer("SELECT row FROM email WHERE account = ? AND id = ?", .integer(account), .id(id))
    }

    func threadRow(_ id: Id<EmailThread>, account: Int64) throws(StorageError) -> Int64? {
        try integer("SELECT row FROM thread WHERE account = ? AND id = ?", .integer(account), .id(id))
    }
}
