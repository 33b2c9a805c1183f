import MailKernelAPI

/// The accounts of a call that are on one server.
struct ServerPart {
    let connection: Connection
    let ids: [Id<Account>]
}

/// Reads accounts that may be on several servers.
extension OpenStore {
    typealias PartsBody<Answer> = @Sendable ([ServerPart], _ missing: [String]) throws(StorageError) -> Answer

    /// Reads several accounts at one moment of each of their servers. A server that cannot be reached is left out if
    /// another one answers.
    ///
    /// - Parameter body: is also given the names of the servers that are left out.
    func together<Answer: Sendable>(
        _ ids: [Id<Account>], _ body: @escaping PartsBody<Answer>
    ) async throws(StorageError) -> Answer {
        guard isSpread else {
            return try await read { connection throws(StorageError) in
                try body([ServerPart(connection: connection, ids: ids)], [])
            }
        }
        if ids.contains(where: { map.server(of: $0) == nil }) { try await readMap() }
        let known = ids.filter { map.server(of: $0) != nil }
        let answer = try await following(known) { () throws(StorageError) in
            try await NestedRead(groups(ids), body).run()
        }
        // Nil if one of them was removed meanwhile.
        if let answer { return answer }
        return try await NestedRead(groups(ids), body).run()
    }

    /// The same on all servers.
    func everywhere<Answer: Sendable>(_ body: @escaping PartsBody<Answer>) async throws(StorageError)
        -> Answer
    {
        guard isSpread else {
            return try await read { connection throws(StorageError) in
                try body([ServerPart(connection: connection, ids: [])], [])
            }
        }
        let all = (servers.dropFirst() + [home]).map {
            NestedRead<Answer>.Group(server: $0, ids: [], expected: [])
        }
        return try await NestedRead(all, body).run()
    }

    /// In one order, so that two calls do not wait for each other; home last, because it is not to wait for the others.
    private func groups<Answer: Sendable>(_ ids: [Id<Account>]) throws(StorageError) -> [NestedRead<Answer>
        .Group]
    {
        let byName = Dictionary(grouping: ids) { map.server(of: $0) ?? home.name }
        var groups: [NestedRead<Answer>.Group] = []
        for name in byName.keys.sorted(by: { ($0 == home.name ? 1 : 0, $0) < ($1 == home.name ? 1 : 0, $1) })
        {
            let ids = byName[name] ?? []
            let expected = Set(ids.filter { map.server(of: $0) != nil })
            groups.append(.init(server: try server(named: name), ids: ids, expected: expected))
        }
        return groups.isEmpty ? [.init(server: home, ids: [], expected: [])] : groups
    }
}
