import FoundationEssentials
import MailKernelAPI

extension Connection {
    /// The number of an account.
    func account(_ id: Id<Account>) throws(StorageError) -> Int? {
        try first(Self.findAccount, [.id(id)]) { $0.int(0) }
    }

    /// The number that the account had when it was last looked for, if it was. The server is asked for it together with
    /// the next statement. If the number is another one by now, that statement fails before anything is read, and the
    /// transaction runs again.
    func assumedAccount(_ id: Id<Account>) throws(StorageError) -> Int? {
        let question = try ask(Self.findAccount, [.id(id)])
        if let number = accountNumbers[id] {
            assumed = AssumedAccount(id: id, number: number, question: question)
            return number
        }
        let number = try rows(question) { $0.int(0) }.first
        accountNumbers[id] = number
        return number
    }

    func checkAccount() throws(StorageError) {
        guard let assumed else { return }
        self.assumed = nil
        guard try rows(assumed.question, { $0.int(0) }).first != assumed.number else { return }
        accountNumbers[assumed.id] = nil
        isWronglyAssumed = true
        throw .elsewhere
    }

    private static let findAccount = "SELECT account FROM account WHERE id = $1"

    /// A part of every state, so that those of a store that was wiped mean nothing to the next.
    func storeID() throws(StorageError) -> String {
        try storeID(from: try askStoreID())
    }

    func askStoreID() throws(StorageError) -> Question { try ask("SELECT id FROM store", []) }

    func storeID(from question: Question) throws(StorageError) -> String {
        guard let id = try rows(question, { $0.text(0) }).first else {
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

    /// The number of a state that may be of another account or store.
    static func claimedNumber(in state: State) -> Int? {
        state.rawValue.split(separator: "-", omittingEmptySubsequences: false).last.flatMap { Int($0) }
    }

    /// Nil for a state of another account or store, or what is no state at all.
    func number(of state: State) -> Int? {
        let parts = state.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == store, parts[1] == String(account) else { return nil }
        return Int(parts[2])
    }
}
