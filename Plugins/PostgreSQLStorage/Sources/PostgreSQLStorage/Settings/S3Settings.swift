import FoundationEssentials
import MailKernelAPI

/// Where large blobs are kept, from the setting `s3`.
struct S3Settings: Sendable {
    /// An address of the form `https://host` or `https://host:port`.
    let endpoint: URL
    /// With its port, unless that is the usual one: as it is signed.
    let host: String
    let bucket: String
    let region: String
    let accessKey: String
    /// Smaller blobs are in the database.
    var threshold = 1 << 20

    /// - Throws: a sentence about a setting that is missing or cannot be used.
    init(_ value: JSONValue) throws(SettingsProblem) {
        guard case .object(let values) = value else {
            throw SettingsProblem("the setting “s3” is not an object.")
        }
        for name in values.keys where !["endpoint", "bucket", "region", "accessKey"].contains(name) {
            throw SettingsProblem(
                "the setting “s3” contains “\(name)”, which is unknown."
                    + (name.lowercased().contains("secret")
                        ? " “mailkernel plugins secret org.mailkernel.postgresql s3” saves the secret key."
                        : ""))
        }
        let address = try Self.text("endpoint", in: values)
        guard let url = URL(string: address), url.scheme == "https", let name = url.host(), !name.isEmpty,
            url.user == nil, url.query == nil, ["", "/"].contains(url.path)
        else {
            throw SettingsProblem(
                "the setting “s3.endpoint” must be an address such as “https://s3.example.org”.")
        }
        endpoint = url
        host = url.port.map { $0 == 443 ? name : "\(name):\($0)" } ?? name
        bucket = try Self.text("bucket", in: values)
        guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isPlain) else {
            throw SettingsProblem("the setting “s3.bucket” may contain only a–z, 0–9, “.” and “-”.")
        }
        region = values["region"] == nil ? "us-east-1" : try Self.text("region", in: values)
        accessKey = try Self.text("accessKey", in: values)
    }

    private static func text(
        _ name: String, in values: [String: JSONValue]
    ) throws(SettingsProblem) -> String {
        guard case .string(let text) = values[name], !text.isEmpty else {
            throw SettingsProblem("the setting “s3.\(name)” is missing, or is not a string.")
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
    }
}
