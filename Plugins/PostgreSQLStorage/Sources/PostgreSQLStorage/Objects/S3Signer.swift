import Digest
import FoundationEssentials
import MailKernelAPI

/// Signs requests as S3 expects it (AWS Signature Version 4, in the query).
///
/// In the query, because the header `Authorization` belongs to the kernel. The signature is of one request, and ends
/// after 15 minutes; the key does not leave this computer.
struct S3Signer: Sendable {
    let accessKey: String
    let secretKey: Secret
    let region: String

    /// How long a signature is good for.
    var seconds = 900

    /// The query of the request with its signature; nil if this system has no SHA-256.
    ///
    /// - Parameters:
    ///   - path: the encoded path.
    ///   - headers: those that are signed, besides `host`.
    func query(
        _ method: String, host: String, path: String, items: [(String, String)], headers: [String: String],
        at date: Date
    ) -> String? {
        let time = Self.time(date)
        let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let signed = (headers.map { ($0.key.lowercased(), $0.value) } + [("host", host)]).sorted { $0 < $1 }
        let names = signed.map(\.0).joined(separator: ";")
        let all =
            items + [
                ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(accessKey)/\(scope)"),
                ("X-Amz-Date", time), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", names),
            ]
        let query = all.map { (Self.encoded($0.0), Self.encoded($0.1)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let request =
            [method, path, query] + signed.map { "\($0.0):\($0.1)" } + ["", names, "UNSIGNED-PAYLOAD"]
        guard let digest = SHA256.of(Data(request.joined(separator: "\n").utf8)) else { return nil }
        let text = ["AWS4-HMAC-SHA256", time, scope, digest.hex].joined(separator: "\n")
        let steps = [String(time.prefix(8)), region, "s3", "aws4_request", text]
        let signature = steps.reduce(Optional(Data("AWS4\(secretKey.revealed)".utf8))) { key, step in
            key.flatMap { SHA256.authentication(of: Data(step.utf8), key: $0) }
        }
        return signature.map { "\(query)&X-Amz-Signature=\($0.hex)" }
    }

    /// Such as `20261126T213600Z`.
    private static func time(_ date: Date) -> String {
        date.formatted(.iso8601).replacing("-", with: "").replacing(":", with: "")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
