import Glibc
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Over a network, the server must prove who it is",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct TLSTests {
    @Test func onlyAVerifiedServerIsConnected() throws {
        let port = try Self.freePort()
        let server = try TestServer("-c ssl=on -c listen_addresses=localhost -c port=\(port)", tls: true)
        let place = "port=\(port) user=mail dbname=postgres"
        let certificate = "sslrootcert=\(server.folder)/data/server.crt"
        #expect(throws: StorageError.self) { try Self.connect("host=localhost \(place)") }
        #expect(throws: StorageError.self) { try Self.connect("host=127.0.0.1 \(place) \(certificate)") }
        let connection = try Self.connect("host=localhost \(place) \(certificate)")
        let isEncrypted = try connection.first(
            "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", once: true
        ) { $0.flag(0) }
        #expect(isEncrypted == true)
    }

    private static func connect(_ text: String) throws -> Connection {
        try ServerSettings(PluginSettings(["connection": .string(text)])).connect()
    }

    private static func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(socket, address, size) == 0, getsockname(socket, address, &size) == 0 else {
                    throw TestServer.CannotStart(description: "bind: \(errno)")
                }
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
