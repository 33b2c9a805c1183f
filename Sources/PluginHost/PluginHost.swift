import CPluginHost

/// What this program is made of, for reports.
public enum PluginHost {
    /// The compiler that built this program, as it names itself.
    public static var swiftVersion: String { Descriptor.readable(Descriptor.programSwift) }

    /// The files of the shared libraries that are in this process, the plugins' included.
    public static var librariesInProcess: [String] {
        var paths: [String] = []
        withUnsafeMutablePointer(to: &paths) { list in
            each_library(
                { path, context in
                    guard let path else { return }
                    context?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: path))
                }, list)
        }
        return paths
    }
}
