import CPluginHost
import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Names the plugin that ends the program after it was loaded: on standard error, and in the journal for the next start.
///
/// What happens at the end itself is C, in `crash_watch.c`.
enum CrashWatch {
    /// Kept to the end of the process, which closes it.
    private static let journal = Mutex<CrashJournal?>(nil)

    /// The first one counts.
    static func begin(_ new: CrashJournal) {
        journal.withLock { journal in
            guard journal == nil, crash_watch_begin(new.descriptor, new.path) != 0 else { return }
            journal = new
        }
    }

    /// From now on this plugin is watched, if any are.
    static func add(_ candidate: PluginCandidate, _ library: PluginLibrary) {
        guard journal.withLock({ $0 != nil }), let entry = entry(of: candidate) else { return }
        let name = "“\(candidate.id.printable)” in \(candidate.folder.path.printable)"
        let next =
            candidate.manifest?.kind == .storage
            ? "It will be loaded again at the next start, because it keeps your mail."
            : "Start again; it will then be skipped."
        crash_watch_plugin(
            candidate.id, library.address, entry, "mailkernel: the plugin \(name) ended the program",
            ". \(next)\n",
            ". “mailkernel plugins --disable \(candidate.id.printable)” turns it off.\n")
    }

    /// The list with the plugin's one entry, up to the time: `PluginCrash` as JSON.
    private static func entry(of candidate: PluginCandidate) -> String? {
        let known = [
            "id": candidate.id, "folder": candidate.folder.path, "libraryStamp": candidate.libraryStamp,
        ]
        guard let data = try? JSONEncoder().encode(known) else { return nil }
        return "[\(String(decoding: data, as: UTF8.self).dropLast()),\"at\":"
    }
}

/// A plugin call that has not returned. If the plugin ends the program, the call is named.
public struct PluginCallMark: ~Copyable, Sendable {
    private let number: CInt

    /// To be made in the task that makes the call.
    public init(_ pluginID: String, _ name: String) {
        number = crash_call_begin(pluginID, name)
    }

    deinit { crash_call_end(number) }
}
