import CBenchmarks
import FoundationEssentials
import Glibc

/// What this process takes of the machine's memory, in megabytes.
enum ProcessMemory {
    static var resident: Double { field("VmRSS:") }
    /// The most since `forgetPeak`.
    static var peak: Double { field("VmHWM:") }

    /// Gives back what is free, so that what is measured next stands out.
    static func forgetPeak() throws {
        malloc_trim(0)
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    private static func field(_ name: String) -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? .nan) / 1_024
    }
}
