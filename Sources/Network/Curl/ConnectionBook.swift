import CCurl
import FoundationEssentials
import Glibc

/// Every socket that libcurl opened for one plugin, and the connection of the ledger it belongs to. To be
/// used on the thread of the network alone; it must outlive the transfers and the kept connections.
final class ConnectionBook {
    private let plugin: String
    private let ledger: ConnectionLedger
    private let addresses: AddressRules
    private var connections: [CInt: LiveConnection] = [:]

    init(plugin: String, ledger: ConnectionLedger, addresses: AddressRules) {
        self.plugin = plugin
        self.ledger = ledger
        self.addresses = addresses
    }

    func begin(host: String, port: Int, purpose: String, proxy: String?) throws(LedgerError) -> LiveConnection
    {
        let ticket = try ledger.begin(plugin: plugin, host: host, port: port, purpose: purpose, proxy: proxy)
        return LiveConnection(ticket, ledger: ledger)
    }

    /// Whether a socket may be connected to this address.
    func allows(_ address: UnsafePointer<curl_sockaddr>) -> Bool { addresses.allow(address) }

    func open(_ address: curl_sockaddr, for connection: LiveConnection) -> CInt {
        let kind = address.socktype | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, address.protocol)
        guard descriptor >= 0 else { return -1 }
        connections[descriptor] = connection
        connection.opened(descriptor)
        return descriptor
    }

    func connection(onPort port: CInt) -> LiveConnection? {
        connections.values.first { $0.isBound(to: port) }
    }

    static func close(_ socket: CInt, _ context: UnsafeMutableRawPointer?) -> CInt {
        if let context {
            let book = Unmanaged<ConnectionBook>.fromOpaque(context).takeUnretainedValue()
            book.connections.removeValue(forKey: socket)?.willClose(socket)
        }
        return Glibc.close(socket)
    }
}
