import FoundationEssentials
import MailKernelAPI

/// Everything that a store holds, as one value: a reader takes a copy, a change replaces it.
struct StoreContents: Sendable {
    struct HistoryKey: Hashable {
        var type: DataType
        var accountID: Id<Account>?
    }

    struct ShelfKey: Hashable {
        var collection: String
        var accountID: Id<Account>?
    }

    /// Part of every state, so that those of a store that was wiped mean nothing to the next.
    let storeID = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    /// Numbers every change of every record; never goes back while the store lives.
    var lastChange = 0
    /// Counts the changes that queries may answer differently after.
    var revision = 0
    /// The clock of least-recently-used: the greater, the more recently.
    var lastUse = 0
    var accounts: [Id<Account>: AccountContents] = [:]
    var histories: [HistoryKey: ChangeHistory] = [:]
    var documents: [ShelfKey: [String: JSONValue]] = [:]

    func history(of type: DataType, in accountID: Id<Account>?) throws(StorageError) -> ChangeHistory {
        var born = 0
        if let accountID {
            guard let account = accounts[accountID] else { throw .notFound("account \(accountID)") }
            born = account.bornAt
        }
        return histories[HistoryKey(type: type, accountID: accountID)] ?? ChangeHistory(startingAt: born)
    }

    func state(_ number: Int) -> State {
        State(rawValue: "\(storeID)-\(number)")
    }

    /// The number behind a state of this store; nil if it is of another, or no state at all.
    func number(of state: State) -> Int? {
        let parts = state.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == storeID else { return nil }
        return Int(parts[1])
    }

    var queryState: State {
        State(rawValue: "\(storeID)-q\(revision)")
    }

    /// Removes everything of an account but the news that it has gone.
    mutating func forget(_ id: Id<Account>) {
        accounts[id] = nil
        histories = histories.filter { $0.key.accountID != id }
        documents = documents.filter { $0.key.accountID != id }
    }
}
