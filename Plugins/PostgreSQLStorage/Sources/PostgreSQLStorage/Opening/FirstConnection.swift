import MailKernelAPI
import Synchronization

/// Opens the store on a further server with the first connection to it.
final class FirstConnection: Sendable {
    private let role: ServerRole
    private let servers: Servers
    private let isOpen = Mutex(false)

    init(role: ServerRole, _ servers: Servers) {
        self.role = role
        self.servers = servers
    }

    func connect(schema: String) throws(StorageError) -> Connection {
        let connection = try servers.connect()
        if isOpen.withLock({ $0 }) { return connection }
        do throws(StorageError) {
            try connection.execute("BEGIN")
            _ = try Opening(connection: connection, schema: schema, connect: servers.connect, role: role)
                .run()
            try connection.commit()
        } catch {
            // A server that cannot be used is none for its accounts; the others go on.
            guard case .unsupported(let sentence) = error else { throw error }
            throw .unreachable(reason: sentence)
        }
        isOpen.withLock { $0 = true }
        return connection
    }
}
