import COpenSSL
import FoundationEssentials
import Glibc
import Synchronization

/// The trusted certificate authorities, for both libcurl and our own TLS.
final class TrustStore: Sendable {
    /// OpenSSL counts references, and the store may be used on any thread.
    private struct Loaded: ~Copyable {
        let address: Int
        let stamps: [Stamp]

        deinit { X509_STORE_free(OpaquePointer(bitPattern: address)) }
    }

    /// What tells that a file was changed.
    private struct Stamp: Equatable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ path: String) {
            var status = stat()
            let isThere = stat(path, &status) == 0
            inode = isThere ? status.st_ino : 0
            size = isThere ? status.st_size : 0
            seconds = isThere ? status.st_mtim.tv_sec : 0
            nanoseconds = isThere ? status.st_mtim.tv_nsec : 0
        }
    }

    /// Where distributions keep all of them in one file; the first that is there counts.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    private let files: [String]
    private let loaded = Mutex<Loaded?>(nil)

    /// - Parameters:
    ///   - system: the file to trust instead of the system's, as `SSL_CERT_FILE` names it.
    ///   - additional: certificates to trust as well, if the file is there.
    init(system: URL?, additional: URL?) {
        let system = system?.path ?? Self.systemFiles.first { access($0, R_OK) == 0 } ?? Self.systemFiles[0]
        files = [system] + (additional.map { [$0.path] } ?? [])
    }

    /// Provides the store. It is reloaded after a file was changed, because the program runs for weeks.
    func withStore<Result>(_ body: (OpaquePointer) throws(TrustError) -> Result) throws(TrustError) -> Result
    {
        let address = try loaded.withLock { loaded throws(TrustError) in
            let stamps = files.map(Stamp.init)
            if loaded?.stamps != stamps { loaded = Loaded(address: try load(), stamps: stamps) }
            let address = loaded?.address ?? 0
            X509_STORE_up_ref(OpaquePointer(bitPattern: address))
            return address
        }
        guard let store = OpaquePointer(bitPattern: address) else { throw TrustError(file: files[0]) }
        defer { X509_STORE_free(store) }
        return try body(store)
    }

    private func load() throws(TrustError) -> Int {
        guard let store = X509_STORE_new() else { throw TrustError(file: files[0]) }
        for (index, file) in files.enumerated() where index == 0 || access(file, F_OK) == 0 {
            guard X509_STORE_load_file(store, file) == 1 else {
                ERR_clear_error()
                X509_STORE_free(store)
                throw TrustError(file: file)
            }
        }
        return Int(bitPattern: store)
    }
}

/// The trusted certificates cannot be read, so no server can be verified.
struct TrustError: Error {
    let file: String

    var reason: String { "the certificates to trust cannot be read from \(file)" }
}
