import FoundationEssentials
import Network

/// Addresses of public servers that a message names: mail must not make this program, or the browser, ask a router or a
/// printer.
package enum PublicURL {
    private static let longest = 8192

    /// Nil for an address that may lead elsewhere, or names a user.
    package static func read(_ address: String, schemes: Set<String>) -> URL? {
        guard address.utf8.count <= longest, let url = URL(string: address),
            let scheme = url.scheme?.lowercased(), schemes.contains(scheme), url.user == nil,
            url.password == nil, let host = url.host?.lowercased()
        else { return nil }
        // An address in numbers is no server that sends newsletters.
        guard PublicAddress.mayBeName(host),
            host.split(separator: ".").last?.contains(where: \.isLetter) ?? false, !host.contains(":")
        else { return nil }
        return url
    }
}
