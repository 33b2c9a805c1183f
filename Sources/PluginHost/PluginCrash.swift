public import FoundationEssentials
import Glibc

/// A plugin that ended the program, or was not ready in time.
public struct PluginCrash: Sendable, Hashable, Codable {
    /// Details about a plugin that ended the program while running.
    public struct Running: Sendable, Hashable, Codable {
        /// The name of the plugin's call that was in progress, if there was one.
        public var call: String?
    }

    public var id: String
    public var folder: String
    /// Says which file it was: a library that has been replaced is tried again.
    public var libraryStamp: String
    public var at: Date
    /// How many seconds the program waited for it; nil if it ended the program.
    public var waited: Int?
    /// Nil if it was being loaded.
    public var running: Running?

    init(of candidate: PluginCandidate) {
        id = candidate.id
        folder = candidate.folder.path
        libraryStamp = candidate.libraryStamp
        at = Date()
    }

    /// What the plugin did, as a sentence without its end.
    public var event: String {
        if let waited { return "It was not ready within \(waited) seconds at an earlier start" }
        guard let running else { return "It ended the program while it was loaded" }
        let doing = running.call.map { "in “\($0)”" } ?? "while it was running"
        return "It ended the program on \(Self.local(at)), \(doing)"
    }

    /// By the clock on the wall.
    private static func local(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let text = [CChar](unsafeUninitializedCapacity: 32) { buffer, length in
            length = strftime(buffer.baseAddress, buffer.count, "%Y-%m-%d at %H:%M", &parts)
        }
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
