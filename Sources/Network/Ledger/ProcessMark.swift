import FoundationEssentials
import Glibc

/// Tells one process from all others that this machine runs and ran, even where a number comes again.
struct ProcessMark: Codable, Hashable, Sendable {
    let id: Int
    /// When it began, in ticks of the system's clock.
    let began: String

    static let current = ProcessMark(id: Int(getpid()), began: start(of: Int(getpid())) ?? "")

    /// Whether it is still there.
    var isRunning: Bool { Self.start(of: id) == began }

    private static func start(of id: Int) -> String? {
        // `pid (name) state parent …`, and a name may hold anything.
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }
}
