import CLogin
import Dispatch
import Glibc

/// Screen locks and system sleep, as reported by logind on the system bus.
public struct LoginSession: Sendable {
    private let address: String

    /// - Parameter environment: says where the system bus is, if not in its usual place.
    public init(environment: [String: String]) {
        address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Yields each time one of the user's screens locks or the computer goes to sleep. Ends at once where there is
    /// no system bus.
    public func locks() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let ear = LoginEar { continuation.yield() }
        continuation.onTermination = { _ in ear.close() }
        ear.listen(at: address) { continuation.finish() }
        return stream
    }
}

/// Receives signals from logind. All blocking calls run on a separate queue.
private final class LoginEar: Sendable {
    // @unchecked Sendable: GDBus locks for itself, and the pointer never changes.
    private struct Connection: @unchecked Sendable {
        let pointer: clogin_connection
    }

    // @unchecked Sendable: only touched on the queue.
    private final class State: @unchecked Sendable {
        var connection: Connection?
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "org.mailkernel.login")
    private let state = State()
    private let locked: @Sendable () -> Void

    init(locked: @escaping @Sendable () -> Void) {
        self.locked = locked
    }

    func listen(at address: String, absent: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard !state.isClosed else { return }
            let connection = clogin_listen(
                address,
                { owner, session in
                    guard let owner, let session else { return }
                    Unmanaged<LoginEar>.fromOpaque(owner).takeUnretainedValue().heard(
                        String(cString: session))
                },
                { owner in if let owner { Unmanaged<LoginEar>.fromOpaque(owner).release() } },
                Unmanaged.passRetained(self).toOpaque())
            guard let connection else { return absent() }
            state.connection = Connection(pointer: connection)
        }
    }

    /// - Parameter session: the path of the one that locks; empty when the computer goes to sleep.
    private func heard(_ session: String) {
        guard !session.isEmpty else { return locked() }
        queue.async { [self] in
            guard let connection = state.connection else { return }
            // A session that logind does not name is taken for the user's: it is the safe mistake.
            let owner = clogin_owner(connection.pointer, session)
            if owner == -1 || owner == Int64(getuid()) { locked() }
        }
    }

    func close() {
        queue.async { [self] in
            state.isClosed = true
            guard let connection = state.connection else { return }
            state.connection = nil
            clogin_close(connection.pointer)
        }
    }
}
