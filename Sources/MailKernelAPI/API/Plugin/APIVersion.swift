import CMailKernelPlugin

/// The version of the plugin API, as `plugin.json` names it in `"api"`.
///
/// A plugin is loaded when its major version is the program's and its minor version is not newer.
/// The digest of the API's exact layout is compared on top of that.
public struct APIVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `"1.0"`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...4).contains($0.utf8.count) }),
            let major = UInt16(parts[0]), let minor = UInt16(parts[1])
        else { return nil }
        self.init(major: Int(major), minor: Int(minor))
    }

    /// The version of the API library that is in this process.
    public static let current = APIVersion(
        major: Int(MAILKERNEL_API_MAJOR), minor: Int(MAILKERNEL_API_MINOR))

    public static func < (one: APIVersion, other: APIVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    public var description: String { "\(major).\(minor)" }
}
