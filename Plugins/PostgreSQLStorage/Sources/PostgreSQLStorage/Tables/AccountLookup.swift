import FoundationEssentials
import MailKernelAPI

extension Connection {
    /// The number of an account.
    func account(_ id: Id<Account>) throws(StorageError) -> Int? {
        try first("SELECT account FROM account WHERE id = $1", [.id(id)]) { $0.int(0) }
    }

    /// A part of every state, so that those of a store that was wiped mean nothing to the next.
    func storeID() throws(StorageError) -> String {
        guard let id = try first("SELECT id FROM store", [], { $0.text(0) }) else {
            throw .corrupt(reason: "the table “store” is empty")
        }
        return id
    }
}

/// The states of one account, or of what belongs to none.
///
/// An account that is added again under an id has another number, so that states of the former one mean nothing.
struct StateNaming {
    let store: String
    let account: Int

    func state(_ number: Int) -> State { State(rawValue: "\(store)-\(account)-\(number)") }

    /// Nil for a state of another account or store, or what is no state at all.
    func number(of state: State) -> Int? {
        let parts = state.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == store, parts[1] == String(account) else { return nil }
        return Int(parts[2])
    }
}
