import MailKernelAPI
import Synchronization

/// A transaction on each of several servers. All of them are used on the thread of the first one's connection; the
/// threads of the others wait.
///
/// A server that does not answer is waited for, or left out, while no connection to the others is held: calls about their
/// accounts go on.
struct NestedRead<Answer: Sendable>: Sendable {
    struct Group: Sendable {
        let server: StoreServer
        let ids: [Id<Account>]
        /// Those that have to be there.
        let expected: Set<Id<Account>>
    }

    /// Each connection may have to be made first, or again.
    private static var mostTries: Int { 20 }

    private let groups: [Group]
    private let body: OpenStore.PartsBody<Answer>

    init(_ groups: [Group], _ body: @escaping OpenStore.PartsBody<Answer>) {
        self.groups = groups
        self.body = body
    }

    func run() async throws(StorageError) -> Answer {
        if groups.count == 1 { return try await readOne(groups[0]) }
        var (there, missing, tries) = (groups, [String](), 1)
        while true {
            let attempt = NestedAttempt(there, missing, body)
            do throws(StorageError) {
                return try await attempt.run()
            } catch {
                guard attempt.hasLostConnection, tries < Self.mostTries else { throw error }
            }
            tries += 1
            let silent = await Self.silence(of: there.map(\.server))
            there.removeAll { silent[$0.server.name] != nil }
            guard !there.isEmpty else { throw silent.values.first ?? .closed }
            missing = (missing + silent.keys).sorted()
        }
    }

    private func readOne(_ group: Group) async throws(StorageError) -> Answer {
        try await group.server.read { [body] connection throws(StorageError) in
            try connection.expect(group.expected)
            return try body([ServerPart(connection: connection, ids: group.ids)], [])
        }
    }

    /// Those that do not answer, with the reason.
    private static func silence(of servers: [StoreServer]) async -> [String: StorageError] {
        await withTaskGroup(of: (StoreServer, StorageError?).self) { group in
            for server in servers { group.addTask { (server, await server.silence()) } }
            var silent: [String: StorageError] = [:]
            for await (server, error) in group {
                guard let error else { continue }
                server.others.wasLeftOut()
                silent[server.name] = error
            }
            return silent
        }
    }
}

/// One try of a nested read, on connections that are there.
private final class NestedAttempt<Answer: Sendable>: Sendable {
    private let groups: [NestedRead<Answer>.Group]
    private let missing: [String]
    private let body: OpenStore.PartsBody<Answer>
    private let loss = Mutex(false)

    init(
        _ groups: [NestedRead<Answer>.Group], _ missing: [String],
        _ body: @escaping OpenStore.PartsBody<Answer>
    ) {
        self.groups = groups
        self.missing = missing
        self.body = body
    }

    /// Whether it failed because a server has to be connected to first.
    var hasLostConnection: Bool { loss.withLock { $0 } }

    func run() async throws(StorageError) -> Answer { try await borrow([]) }

    /// Takes a connection of each server.
    private func borrow(_ lanes: [Lane]) async throws(StorageError) -> Answer {
        guard lanes.count < groups.count else {
            return try await lanes[0].run { lane throws(StorageError) in try self.read(lanes, []) }
        }
        return try await groups[lanes.count].server.readers.withLane { lane throws(StorageError) in
            try await borrow(lanes + [lane])
        }
    }

    private func read(_ lanes: [Lane], _ parts: [ServerPart]) throws(StorageError) -> Answer {
        guard parts.count < groups.count else { return try body(parts, missing) }
        let (group, lane) = (groups[parts.count], lanes[parts.count])
        func readHere(_ lane: Lane) throws(StorageError) -> Answer {
            do throws(StorageError) {
                return try lane.readAtOnce { connection throws(StorageError) in
                    try connection.expect(group.expected)
                    return try read(lanes, parts + [ServerPart(connection: connection, ids: group.ids)])
                }
            } catch {
                if !lane.isConnected { loss.withLock { $0 = true } }
                throw error
            }
        }
        return try parts.isEmpty ? readHere(lane) : lane.now(readHere)
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
