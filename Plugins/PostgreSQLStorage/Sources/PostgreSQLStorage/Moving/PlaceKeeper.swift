import Dispatch
import MailKernelAPI
import Synchronization

/// Does what the map asks for, on a thread of its own: moves accounts, and finishes what other kernels left undone.
///
/// Any kernel can do each step, and no step is lost when one is killed: see `AccountMove`.
final class PlaceKeeper: Sendable {
    typealias DeedWork = @Sendable (_ further: Lane, _ home: Lane) throws(StorageError) -> Void

    /// Deeds and removals are looked for in each such round: usually there are none.
    private static let roundsPerLook = 10

    private struct State {
        var carryDeeds: DeedWork?
        var rounds = 0
        var isOver = false
    }

    private let kernel: [UInt8]
    private let interval: DispatchTimeInterval
    private let map: AccountMap
    /// For the map.
    private let home: Lane
    /// For the accounts, of all servers.
    private let lanes: [String: Lane]
    private let state = Mutex(State())

    init(_ kernel: [UInt8], home: StoreServer, _ further: [StoreServer], _ map: AccountMap) {
        self.kernel = kernel
        self.map = map
        interval = .milliseconds(Int(home.settings.placeInterval * 1_000))
        self.home = Lane("postgresql-storage.places", connect: home.connect)
        var lanes: [String: Lane] = [:]
        for server in [home] + further {
            lanes[server.name] = Lane("postgresql-storage.places-\(server.name)", connect: server.connect)
        }
        self.lanes = lanes
    }

    func start(_ carryDeeds: @escaping DeedWork) {
        state.withLock { $0.carryDeeds = carryDeeds }
        home.repeatedly(every: interval) { [weak self] in self?.look() }
    }

    /// A move under way ends after its present step, and goes on when a store is opened.
    func stop() async {
        state.withLock { state in
            state.isOver = true
            state.carryDeeds = nil
        }
        home.stopRepeating()
        await home.close()
        for lane in lanes.values { await lane.close() }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// On the thread of the home server's connection. What fails is tried again in the next round.
    private func look() {
        guard !isOver else { return }
        try? readMap()
        let isLook = state.withLock { state in
            defer { state.rounds += 1 }
            return state.rounds % Self.roundsPerLook == 0
        }
        if isLook {
            for (name, lane) in lanes where name != ServerSettings.home {
                try? state.withLock { $0.carryDeeds }?(lane, home)
            }
            try? finishRemovals()
        }
        let accounts = try? home.read { connection throws(StorageError) in try PlaceWish.accounts(connection)
        }
        for account in accounts ?? [] where !isOver { fulfil(account) }
    }

    private func readMap() throws(StorageError) {
        map.set(try home.read { connection throws(StorageError) in try connection.readPlaces() })
    }

    private func fulfil(_ account: Int) {
        let claim = MoveClaim(account: account, kernel: kernel, home)
        do throws(StorageError) {
            guard let wish = try claim.take() else { return }
            let move = AccountMove(
                claim: claim, lanes: lanes, isOver: { [weak self] in self?.isOver ?? true })
            try move.advance(wish)
            try claim.giveBack(problem: "")
            try readMap()
        } catch {
            // A kernel that stops leaves the rest to the next.
            try? claim.giveBack(problem: error == .closed ? "" : "\(error.sentence)")
        }
    }

    private func finishRemovals() throws(StorageError) {
        for removal in try home.read({ connection throws(StorageError) in try connection.removals() }) {
            guard let lane = lanes[removal.server] else { continue }
            try lane.now { lane throws(StorageError) in
                try lane.write { connection throws(StorageError) in
                    try connection.clearRemoved(removal.account)
                }
            }
            try home.write { connection throws(StorageError) in try connection.forget(removal) }
        }
    }
}

extension StorageError {
    /// For administrators, in the column `problem`.
    fileprivate var sentence: String {
        switch self {
        case .unreachable(let reason), .unwritable(let reason), .unreadable(let reason), .corrupt(let reason),
            .invalid(let reason):
            reason
        case .unsupported(let sentence): sentence
        case .full: "the disk of a server is full"
        case .closed, .newerFormat, .inUse, .stateMismatch, .leaseLost, .cannotCalculateChanges, .notFound,
            .anchorNotFound, .cancelled:
            "\(self)"
        }
    }
}
