import FoundationEssentials

/// What this program is made of, for reports.
public enum PluginHost {
    /// The compiler that built this program, as it names itself.
    public static var swiftVersion: String { Descriptor.programSwift }

    /// The files of the shared libraries that are in this process, the plugins' included.
    public static var librariesInProcess: [String] {
        guard let maps = try? String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8) else { return [] }
        var paths: Set<String> = []
        for line in maps.split(separator: "\n") {
            guard let start = line.firstIndex(of: "/") else { continue }
            let path = line[start...]
            if path.contains(".so") { paths.insert(String(path)) }
        }
        return paths.sorted()
    }
}
