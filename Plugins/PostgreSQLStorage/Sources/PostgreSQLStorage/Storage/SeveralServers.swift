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

/// A transaction on each of several servers. All of them are used on the thread of the first one's connection; the
/// threads of the others wait.
private struct NestedRead<Answer: Sendable>: Sendable {
    struct Group: Sendable {
        let server: StoreServer
        let ids: [Id<Account>]
        /// Those that have to be there.
        let expected: Set<Id<Account>>
    }

    private let groups: [Group]
    private let body: OpenStore.PartsBody<Answer>

    init(_ groups: [Group], _ body: @escaping OpenStore.PartsBody<Answer>) {
        self.groups = groups
        self.body = body
    }

    func run() async throws(StorageError) -> Answer { try await borrow([]) }

    /// Takes a connection of each server.
    private func borrow(_ lanes: [Lane]) async throws(StorageError) -> Answer {
        guard lanes.count < groups.count else {
            return try await lanes[0].run { lane throws(StorageError) in try read(lanes, [], []) }
        }
        return try await groups[lanes.count].server.readers.withLane { lane throws(StorageError) in
            try await borrow(lanes + [lane])
        }
    }

    private func read(
        _ lanes: [Lane], _ parts: [ServerPart], _ missing: [String]
    ) throws(StorageError) -> Answer {
        let number = parts.count + missing.count
        guard number < groups.count else { return try body(parts, missing) }
        let group = groups[number]
        var (isConnected, isInside) = (false, false)
        func readHere(_ lane: Lane) throws(StorageError) -> Answer {
            try lane.read { connection throws(StorageError) in
                (isConnected, isInside) = (true, false)
                try connection.expect(group.expected)
                isInside = true
                let part = ServerPart(connection: connection, ids: group.ids)
                return try read(lanes, parts + [part], missing)
            }
        }
        do throws(StorageError) {
            return try number == 0 ? readHere(lanes[0]) : lanes[number].now(readHere)
        } catch {
            if isInside { throw error }
            guard case .unreachable = error, !isConnected, !parts.isEmpty || number + 1 < groups.count else {
                throw error.at(group.server.name)
            }
        }
        return try read(lanes, parts, missing + [group.server.name])
    }
}

extension Connection {
    /// - Throws: `.elsewhere` if one of the accounts is no longer here.
    fileprivate func expect(_ ids: Set<Id<Account>>) throws(StorageError) {
        guard !ids.isEmpty else { return }
        let find = "SELECT count(*) FROM account WHERE id = ANY ($1)"
        guard try first(find, [.ids(ids)], { $0.int(0) }) == ids.count else { throw .elsewhere }
    }
}
