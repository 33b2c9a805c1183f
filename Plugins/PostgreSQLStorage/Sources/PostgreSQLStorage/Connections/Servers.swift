import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI
import Synchronization

/// The servers that the settings name, of which one at a time is the primary.
///
/// It finds the primary, and notices when another server has become it: a connection to a former one is not used again.
final class Servers: Sendable {
    private struct State {
        var password: Secret?
        var primaryship: Primaryship?
        /// Where the last connection was made: there the next one is tried first.
        var last = 0
        var failures: [Int: DispatchTime] = [:]
        var comparedAt: DispatchTime?
    }

    /// A server that failed so recently is not waited for if another one answers.
    private static let memory = 10.0

    private let settings: ServerSettings
    private let places: [Place]
    private let file: PrimaryshipFile
    private let readPassword: (@Sendable () async -> Secret?)?
    private let state: Mutex<State>
    private let outage = Outage()

    /// - Parameters:
    ///   - file: where the newest primaryship is kept.
    ///   - readPassword: reads the password again if a server refuses the one in the settings.
    init(
        _ settings: ServerSettings, file: PrimaryshipFile = PrimaryshipFile(path: nil),
        readPassword: (@Sendable () async -> Secret?)? = nil
    ) {
        self.settings = settings
        self.file = file
        self.readPassword = readPassword
        places = Place.all(in: settings)
        state = Mutex(State(password: settings.password, primaryship: file.read()))
    }

    /// A connection to the primary. While that is being replaced or restarted, it is waited for, a few seconds at most.
    func connect() throws(StorageError) -> Connection {
        while true {
            if let failure = outage.failure() { throw failure }
            do throws(ConnectFailure) {
                let connection = try findPrimary()
                outage.end()
                return connection
            } catch {
                guard outage.continues(error) else { throw error.error }
                usleep(100_000)
            }
        }
    }

    private func findPrimary() throws(ConnectFailure) -> Connection {
        let isComparing = isToCompare()
        var best: Connection?
        var failures: [ConnectFailure] = []
        for number in order() {
            if best != nil, !isComparing || hasFailed(number) { break }
            do throws(ConnectFailure) {
                let connection = try primary(at: number)
                if let best, best.primaryship?.isOlder(than: connection.primaryship) != true { continue }
                best = connection
                state.withLock { $0.last = number }
            } catch {
                if error.isSilent { note(failureAt: number) }
                failures.append(error)
            }
        }
        guard let best else { throw ConnectFailure(failures) }
        if isComparing { state.withLock { $0.comparedAt = .now() } }
        know(best.primaryship)
        return best
    }

    /// The place of the last connection first, those that failed last.
    private func order() -> [Int] {
        let last = state.withLock { $0.last }
        let all = [last] + places.indices.filter { $0 != last }
        return all.filter { !hasFailed($0) } + all.filter { hasFailed($0) }
    }

    /// Whether all servers are to be asked: an old primary may have come back.
    private func isToCompare() -> Bool {
        guard places.count > 1 else { return false }
        return state.withLock { $0.comparedAt.map { Self.isOver($0) } ?? true }
    }

    private func hasFailed(_ place: Int) -> Bool {
        state.withLock { $0.failures[place].map { !Self.isOver($0) } ?? false }
    }

    private static func isOver(_ time: DispatchTime) -> Bool { time + memory < .now() }

    private func note(failureAt place: Int) { state.withLock { $0.failures[place] = .now() } }

    private func know(_ primaryship: Primaryship?) {
        guard let primaryship else { return }
        let isNew = state.withLock { state in
            guard state.primaryship != primaryship, !primaryship.isOlder(than: state.primaryship) else {
                return false
            }
            state.primaryship = primaryship
            return true
        }
        if isNew { file.write(primaryship) }
    }
}

// MARK: One server

extension Servers {
    /// - Throws: also if it is a standby, or a primary that another one has replaced.
    private func primary(at place: Int) throws(ConnectFailure) -> Connection {
        let password = state.withLock { $0.password }
        let connection: Connection
        do throws(ConnectFailure) {
            connection = try open(place, password)
        } catch {
            guard error.isRefusal, let other = newPassword(insteadOf: password) else { throw error }
            connection = try open(place, other)
        }
        guard places[place].isChosenByLibrary || !connection.isReadOnly else {
            throw ConnectFailure("\(connection.server) is a standby or read-only")
        }
        guard isCurrent(connection.primaryship) else {
            throw ConnectFailure(
                "\(connection.server) is a former primary, which another server has replaced")
        }
        state.withLock { $0.failures[place] = nil }
        return connection
    }

    private func open(_ place: Int, _ password: Secret?) throws(ConnectFailure) -> Connection {
        let options = places[place].options(password)
        let connection = try Connection(options, patience: settings.patience)
        connection.isCurrent = { [self, unowned connection] in isCurrent(connection.primaryship) }
        connection.isServerAlive = { [self] in
            if Connection.ping(options) { return true }
            note(failureAt: place)
            return false
        }
        do throws(StorageError) {
            try connection.prepareSession(schema: settings.schema)
        } catch {
            throw ConnectFailure(error)
        }
        return connection
    }

    private func isCurrent(_ primaryship: Primaryship?) -> Bool {
        guard let primaryship else { return true }
        return !primaryship.isOlder(than: state.withLock { $0.primaryship })
    }

    /// Nil if the secret store has none, or the one that was refused.
    private func newPassword(insteadOf refused: Secret?) -> Secret? {
        guard let readPassword else { return nil }
        let found = FoundPassword()
        Task { found.set(await readPassword()) }
        guard let password = found.wait(), password != refused else { return nil }
        state.withLock { $0.password = password }
        return password
    }
}

/// Hands a password from a task to the thread that waits for it.
private final class FoundPassword: Sendable {
    private let password = Mutex<Secret?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ found: Secret?) {
        password.withLock { $0 = found }
        isSet.signal()
    }

    /// Not for long: the secret store may be asking the user to unlock it.
    func wait() -> Secret? {
        isSet.wait(timeout: .now() + 3) == .success ? password.withLock { $0 } : nil
    }
}

extension ServerSettings {
    func connect() throws(StorageError) -> Connection { try Servers(self).connect() }
}
