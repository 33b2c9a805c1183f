import CMailKernelPlugin

/// The version of the plugin API, written in `plugin.json` as `"api"`.
///
/// The kernel loads a plugin with the same major version as the program and a minor version that is not
/// newer. It also compares the digests of the API that both were compiled with.
public struct APIVersion: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// A new number means that old plugins do not load.
    public let major: Int
    /// A new number means additions.
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `"2.0"`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...4).contains($0.utf8.count) }),
            let major = UInt16(parts[0]), let minor = UInt16(parts[1])
        else { return nil }
        self.init(major: Int(major), minor: Int(minor))
    }

    /// The version of the API library in this process.
    public static let current = APIVersion(
        major: Int(MAILKERNEL_API_MAJOR), minor: Int(MAILKERNEL_API_MINOR))

    public static func < (one: APIVersion, other: APIVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
