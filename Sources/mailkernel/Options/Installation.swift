import FoundationEssentials
import Glibc

/// Which program this is, where it is, and what lies beside it.
enum Installation {
    static let version = "0.2.0"

    /// The folder of the executable. `plugins` and `sdk` lie beside this folder, in an installed program as
    /// in one that was just built.
    private static let programFolder: URL? = {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return URL(filePath: String(cString: path)).deletingLastPathComponent()
    }()

    /// The plugins that came with the program.
    static var bundledPlugins: URL? { existing("plugins") }

    /// The packages that a plugin is built against.
    static var sdk: URL? { existing("sdk") }

    /// The files of the page; nil if this build has none.
    static var page: URL? { existing("page") }

    /// What the build noted of the program; nil if it noted nothing.
    static var about: URL? { existing("about") }

    private static func existing(_ name: String) -> URL? {
        guard let url = programFolder?.deletingLastPathComponent().appending(path: name),
            access(url.path, F_OK) == 0
        else { return nil }
        return url.resolvingSymlinksInPath()
    }
}
