import CDesktopBus
import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization

/// The user's session bus, connected when it is first needed, and again when it was lost.
final class SessionBus: Sendable {
    enum Event: Sendable, Hashable {
        /// The user did something with a notification. The action is “default” for a click on the whole.
        case used(UInt32, action: String)
        case gone(UInt32)
        /// Who shows notifications from now on: no other program ever has the same name.
        case desktop(String?)
    }

    // @unchecked Sendable: GDBus locks for itself, and the pointer never changes.
    final class Connection: @unchecked Sendable {
        let pointer: cbus_connection

        init(_ pointer: cbus_connection) {
            self.pointer = pointer
        }

        deinit { cbus_close(pointer) }
    }

    private final class Ear: Sendable {
        let heard: @Sendable (Event) -> Void
        let busID: String

        init(_ busID: String, _ heard: @escaping @Sendable (Event) -> Void) {
            self.busID = busID
            self.heard = heard
        }
    }

    private let address: String?
    private let heard: @Sendable (Event) -> Void
    private let connection = Mutex<Connection?>(nil)
    // Calls block, which tasks must not do.
    private let queue = DispatchQueue(label: "org.mailkernel.desktop")

    /// - Parameter heard: is called on a thread of the bus, and must not call back.
    init(environment: [String: String], heard: @escaping @Sendable (Event) -> Void) {
        address = Self.address(environment)
        self.heard = heard
    }

    /// A bus that is not there is not started, and one that is not on this machine is not used.
    static func address(_ environment: [String: String]) -> String? {
        if let given = environment["DBUS_SESSION_BUS_ADDRESS"] {
            let isLocal = given.split(separator: ";").allSatisfy { $0.hasPrefix("unix:") }
            return given.isEmpty || !isLocal ? nil : given
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], access(folder + "/bus", F_OK) == 0 else {
            return nil
        }
        return "unix:path=\(folder)/bus"
    }

    /// Does something on the bus, away from the threads of tasks and one after the other.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Connection, inout UnsafeMutablePointer<CChar>?) -> Value?
    ) async throws(NotificationError) -> Value {
        let result: Result<Value, NotificationError> = await withCheckedContinuation { done in
            queue.async { [self] in
                var problem: UnsafeMutablePointer<CChar>?
                defer { cbus_free(problem) }
                if let connection = connected(&problem), let value = body(connection, &problem) {
                    done.resume(returning: .success(value))
                } else {
                    let reason = problem.map { String(cString: $0) } ?? "There is no desktop session."
                    done.resume(returning: .failure(.unavailable(reason: reason)))
                }
            }
        }
        return try result.get()
    }

    private func connected(_ problem: inout UnsafeMutablePointer<CChar>?) -> Connection? {
        guard let address else { return nil }
        return connection.withLock { known in
            if let known, cbus_is_closed(known.pointer) == 0 { return known }
            known = nil
            guard let new = cbus_open(address, &problem).map({ Connection($0) }) else { return nil }
            // State from another bus is invalid.
            heard(.desktop(nil))
            guard listen(on: new, &problem) else { return nil }
            known = new
            return new
        }
    }

    private func listen(on connection: Connection, _ problem: inout UnsafeMutablePointer<CChar>?) -> Bool {
        let id = cbus_bus_id(connection.pointer)
        defer { cbus_free(id) }
        let ear = Ear(id.map { String(cString: $0) } ?? "", heard)
        return cbus_listen(
            connection.pointer,
            { data, event, number, word in
                guard let data, let word else { return }
                let ear = Unmanaged<Ear>.fromOpaque(data).takeUnretainedValue()
                let text = String(cString: word)
                switch event {
                case cbus_used: ear.heard(.used(number, action: text))
                case cbus_gone: ear.heard(.gone(number))
                default: ear.heard(.desktop(text.isEmpty ? nil : "\(ear.busID) \(text)"))
                }
            },
            { data in if let data { Unmanaged<Ear>.fromOpaque(data).release() } },
            Unmanaged.passRetained(ear).toOpaque(), &problem) == 1
    }
}
