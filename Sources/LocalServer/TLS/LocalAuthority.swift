import COpenSSL
public import FoundationEssentials
import Glibc

/// A certificate authority for this installation, for mail programs that require HTTPS.
///
/// It is limited to the names and addresses of this computer, so it is useless for anything else, even if its
/// key were stolen. Its certificates are valid for 90 days and renewed at each start, and every month while
/// the program runs.
public struct LocalAuthority: Sendable {
    private let folder: URL

    /// - Parameter folder: the server's folder in the data folder.
    public init(folder: URL) {
        self.folder = folder.appending(path: "tls")
    }

    /// The certificate to give to other mail programs.
    public var certificateFile: URL { folder.appending(path: "mailkernel-ca.pem") }
    private var keyFile: URL { folder.appending(path: "mailkernel-ca-key.pem") }

    /// Makes the authority if there is none.
    public func prepare() throws(LocalServerError) {
        do {
            _ = try loadOrMake()
        } catch {
            throw .certificate(error.reason)
        }
    }

    /// A new certificate for this computer, followed by the authority's, and its key, as PEM.
    func makeLeaf() throws(LocalServerError) -> (key: String, certificate: String) {
        do {
            let (authorityKey, authority) = try loadOrMake()
            let key = try PrivateKey()
            let leaf = try Self.certificate(
                named: "mailkernel on this computer", days: 90, for: key, by: authority, authorityKey,
                [
                    (NID_basic_constraints, "critical,CA:FALSE"),
                    (NID_key_usage, "critical,digitalSignature"),
                    (NID_ext_key_usage, "serverAuth"),
                    (NID_subject_key_identifier, "hash"),
                    (NID_authority_key_identifier, "keyid"),
                    (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"),
                ])
            return (try key.pem(), try leaf.pem() + authority.pem())
        } catch {
            throw .certificate(error.reason)
        }
    }

    private func loadOrMake() throws(OpenSSLError) -> (PrivateKey, Certificate) {
        if let keyData = try? Data(contentsOf: keyFile), let data = try? Data(contentsOf: certificateFile),
            let key = try? PrivateKey(pem: keyData), let certificate = try? Certificate(pem: data),
            certificate.isFor(key), certificate.isGood(for: 100 * 24 * 3600)
        {
            return (key, certificate)
        }
        let key = try PrivateKey()
        let certificate = try Self.certificate(
            named: "mailkernel, for this computer alone", days: 3650, for: key, by: nil, key,
            [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
                (
                    NID_name_constraints,
                    "critical,permitted;DNS:localhost,permitted;IP:127.0.0.1/255.255.255.255,"
                        + "permitted;IP:0:0:0:0:0:0:0:1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
                ),
            ])
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The key first: a certificate without its key is replaced at the next start.
        try Self.write(try key.pem(), to: keyFile, mode: 0o600)
        try Self.write(try certificate.pem(), to: certificateFile, mode: 0o644)
        return (key, certificate)
    }

    private static func certificate(
        named name: String, days: Int, for key: PrivateKey, by authority: Certificate?,
        _ authorityKey: PrivateKey, _ extensions: [(CInt, String)]
    ) throws(OpenSSLError) -> Certificate {
        let certificate = try Certificate()
        let pointer = certificate.pointer
        let day = 24 * 3600
        guard X509_set_version(pointer, 2) == 1, setSerial(pointer),
            // A clock that was set back a little is no reason to distrust it.
            X509_gmtime_adj(X509_getm_notBefore(pointer), -day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(pointer), days * day) != nil,
            X509_set_pubkey(pointer, key.pointer) == 1,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1,
            X509_set_issuer_name(pointer, X509_get_subject_name(authority?.pointer ?? pointer)) == 1
        else { throw OpenSSLError("the certificate cannot be filled in") }
        for (nid, value) in extensions {
            guard let item = copenssl_extension(pointer, authority?.pointer ?? pointer, nid, value) else {
                throw OpenSSLError("the certificate cannot contain “\(value)”")
            }
            defer { X509_EXTENSION_free(item) }
            guard X509_add_ext(pointer, item, -1) == 1 else {
                throw OpenSSLError("the certificate cannot contain “\(value)”")
            }
        }
        guard X509_sign(pointer, authorityKey.pointer, EVP_sha256()) > 0 else {
            throw OpenSSLError("the certificate cannot be signed")
        }
        return certificate
    }

    private static func setSerial(_ certificate: OpaquePointer) -> Bool {
        var generator = SystemRandomNumberGenerator()
        return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), generator.next() >> 1 | 1 << 61)
            == 1
    }

    private static func write(_ text: String, to file: URL, mode: mode_t) throws(OpenSSLError) {
        let temporary = file.path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw OpenSSLError("\(file.path) cannot be written") }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, file.path) == 0 else {
            unlink(temporary)
            throw OpenSSLError("\(file.path) cannot be written")
        }
    }
}
