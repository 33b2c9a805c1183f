/// Why the server cannot start.
public enum LocalServerError: Error, Equatable, CustomStringConvertible {
    case notLoopback(String)
    case portTaken(Int)
    case portForbidden(Int)
    case noLoopback
    case cannotListen(String)
    case cannotStart(String)
    case certificate(String)
    case file(String)

    public var description: String {
        switch self {
        case .notLoopback(let address):
            "“\(address)” can be reached from other computers. mailkernel listens only on 127.0.0.1 and ::1."
        case .portTaken(0):
            "No free port was found. Stop a program that uses many ports, or choose a port with --port."
        case .portTaken(let port):
            "Port \(port) is used by another program. Stop it, or choose another port with --port or --tls-port."
        case .portForbidden(let port):
            "Port \(port) is reserved for the administrator. Choose one from 1024 with --port or --tls-port."
        case .noLoopback:
            "This computer has no loopback interface (127.0.0.1), so the page cannot be served. Run “ip link set lo "
                + "up” as root."
        case .cannotListen(let reason):
            "The page cannot be served: \(reason)."
        case .cannotStart(let reason):
            "The web server could not start: \(reason)."
        case .certificate(let reason):
            "The certificate for other mail programs could not be created: \(reason). Programs that require TLS "
                + "cannot connect until a later start creates it."
        case .file(let sentence): sentence
        }
    }
}
