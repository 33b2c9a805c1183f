import Digest
import FoundationEssentials
import MailKernelAPI
import Network

/// Reads the newer configuration files (draft-ietf-mailmaint-pacc), which a digest in the DNS confirms.
enum PACCReader {
    private static let sizeLimit = 64 * 1024

    /// - Parameter records: the texts of `_ua-auto-config` below the domain.
    /// - Returns: nil unless a digest matches: then it is as if there were no file.
    static func read(_ bytes: Data, confirmedBy records: [NameRecord]) -> FoundServers? {
        guard (1...sizeLimit).contains(bytes.count), records.contains(where: { confirms($0.value, bytes) }),
            let value = try? JSONDecoder().decode(JSONValue.self, from: bytes)
        else { return nil }
        let protocols = value["protocols"]
        var found = FoundServers()
        found.incoming = protocols?["imap"]?["host"]?.stringValue.map {
            DiscoveredServer($0.lowercased(), port: 993)
        }
        found.submission = protocols?["smtp"]?["host"]?.stringValue.map {
            DiscoveredServer($0.lowercased(), port: 465)
        }
        found.jmap = protocols?["jmap"]?["url"]?.stringValue.flatMap { URL(string: $0) }
        let ways = value["authentication"]
        if let issuer = ways?["oauth-public"]?["issuer"]?.stringValue.flatMap({ URL(string: $0) }) {
            found.authentication.append(.oauth(issuer: issuer))
        }
        if ways?["password"]?.boolValue == true { found.authentication.append(.password) }
        return found
    }

    private static func confirms(_ record: String, _ bytes: Data) -> Bool {
        var tags: [String: String] = [:]
        for part in record.prefix(1_000).split(separator: ";") {
            let pair = part.drop(while: \.isWhitespace).split(separator: "=", maxSplits: 1)
            if pair.count == 2 {
                tags[String(pair[0])] = String(pair[1].prefix { !$0.isWhitespace })
            }
        }
        guard tags["v"] == "UAAC1", tags["a"] == "sha256" else { return false }
        return tags["d"].flatMap { Data(base64Encoded: $0) }.map { $0 == SHA256.of(bytes) } ?? false
    }
}
