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
            "“\(address)” is not an address of this computer alone. The page is offered on 127.0.0.1 and ::1 only: "
                + "what other computers could reach is not for mail."
        case .portTaken(0):
            "No free port was found on this computer. Stop a program that uses many, or name one with --port."
        case .portTaken(let port):
            "Port \(port) is used by another program. Stop that one, or choose another port with --port or --tls-port."
        case .portForbidden(let port):
            "Port \(port) is for the administrator of this computer. Choose one from 1024 on with --port or --tls-port."
        case .noLoopback:
            "This computer has no loopback interface (127.0.0.1), so the page cannot be offered. "
                + "Bring it up with “ip link set lo up” as root."
        case .cannotListen(let reason):
            "The page cannot be offered on this computer: \(reason)."
        case .cannotStart(let reason):
            "The web server could not start: \(reason)."
        case .certificate(let reason):
            "The certificate for other mail programs could not be made: \(reason). "
                + "Those that need TLS can connect after a start that can make it."
        case .file(let sentence): sentence
        }
    }
}
