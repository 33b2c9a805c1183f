import Dispatch
import MailKernelAPI

/// Leads calls to the servers of their accounts.
extension OpenStore {
    /// For how long a call waits for an account that is just being moved: a moment, unless a server fails meanwhile.
    private static let patience = 20.0
    private static let pause = 0.025

    func server(named name: String) throws(StorageError) -> StoreServer {
        if name == home.name { return home }
        if let server = further[name] { return server }
        throw .unreachable(reason: "the settings of this computer lack the server “\(name)”")
    }

    /// The server of an account. What the map does not know is at home, if it is anywhere.
    func server(of id: Id<Account>) throws(StorageError) -> StoreServer {
        guard isSpread, let name = map.server(of: id) else { return home }
        return try server(named: name)
    }

    /// Runs `body` at the server of an account, at another one if the account has been moved; nil if there is no such
    /// account.
    ///
    /// - Parameter body: throws `.elsewhere` if it does not find the account, before it changes anything.
    func at<Answer: Sendable>(
        _ id: Id<Account>, _ body: (StoreServer) async throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer? {
        try await following([id]) { () throws(StorageError) in try await body(server(of: id)) }
    }

    /// Repeats `body` while it throws `.elsewhere` and the accounts are moved; nil if one of them does not exist.
    func following<Answer: Sendable>(
        _ ids: [Id<Account>], _ body: () async throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer? {
        let deadline = DispatchTime.now() + Self.patience
        while true {
            let known = ids.map { map.server(of: $0) }
            do throws(StorageError) {
                return try await body()
            } catch {
                guard error == .elsewhere else { throw error }
            }
            guard isSpread else { return nil }
            try await readMap()
            let found = ids.map { map.server(of: $0) }
            guard known == found else { continue }
            if found.contains(nil) { return nil }
            guard .now() < deadline else {
                throw .unreachable(
                    reason: "the account is being moved to another server, which takes too long")
            }
            guard (try? await Task.sleep(for: .seconds(Self.pause))) != nil else { throw .cancelled }
        }
    }

    func readMap() async throws(StorageError) {
        map.set(try await read { connection throws(StorageError) in try connection.readPlaces() })
    }
}
