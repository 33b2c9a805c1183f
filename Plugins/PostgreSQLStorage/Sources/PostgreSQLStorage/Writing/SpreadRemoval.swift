import MailKernelAPI

/// Removing an account of a store with several servers.
extension OpenStore {
    /// The home server forgets the account first: a server that cannot be reached meanwhile is cleared later.
    ///
    /// - Returns: its number; nil if there is none.
    func removeEverywhere(_ id: Id<Account>) async throws(StorageError) -> Int? {
        try await carryDeeds(ofServerOf: id)
        let kernel = kernel
        let number = try await write { connection throws(StorageError) -> Int? in
            try connection.removal(of: id, kernel) { connection throws(StorageError) in
                try connection.forgetPlace(of: id)
            }
        }
        map.set(try await read { connection throws(StorageError) in try connection.readPlaces() })
        guard let number else { return nil }
        for removal in try await read({ connection throws(StorageError) in try connection.removals() })
        where removal.account == number {
            // By the keeper of the map, if the server does not respond just now.
            guard try await isCleared(removal) else { continue }
            try await write { connection throws(StorageError) in try connection.forget(removal) }
        }
        return number
    }

    private func isCleared(_ removal: Removal) async throws(StorageError) -> Bool {
        do throws(StorageError) {
            try await server(named: removal.server).write { connection throws(StorageError) in
                try connection.clearRemoved(removal.account)
            }
            return true
        } catch .unreachable {
            return false
        }
    }

    /// What a commit to the account has yet to change at home would be lost with it.
    private func carryDeeds(ofServerOf id: Id<Account>) async throws(StorageError) {
        let server = try server(of: id)
        guard server !== home else { return }
        try await server.readers.withLane { further throws(StorageError) in
            do throws(StorageError) {
                try await further.run { lane throws(StorageError) in try lane.wake() }
            } catch {
                throw server.noted(error)
            }
            try await home.writers.withLane { lane throws(StorageError) in
                try await lane.run { lane throws(StorageError) in try self.deedsOf(further, at: lane) }
            }
        }
    }
}

extension Connection {
    /// Notes on which servers an account that is removed has rows, and removes those of this one. Nil if there is none.
    fileprivate func forgetPlace(of id: Id<Account>) throws(StorageError) -> Int? {
        // Locked first, as by a move.
        let find = "SELECT account FROM account WHERE id = $1 FOR UPDATE"
        let here = try first(find, [.id(id)]) { $0.int(0) }
        let place = try first(
            "DELETE FROM account_place WHERE id = $1 RETURNING account, server, arriving, leaving", [.id(id)]
        ) { (account: $0.int(0), servers: Set([$0.text(1), $0.text(2), $0.text(3)])) }
        guard let account = place?.account ?? here else { return nil }
        try clearRemoved(account)
        for server in place?.servers ?? [] where !["", ServerSettings.home].contains(server) {
            try run("INSERT INTO account_removal VALUES ($1, $2)", .integer(account), .text(server))
        }
        return account
    }
}
