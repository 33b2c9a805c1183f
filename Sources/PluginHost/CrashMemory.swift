public import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization

/// Records across restarts which plugin ended the process.
///
/// Each process that loads plugins writes the current one to its `CrashJournal`. The journal's lock is
/// released when the process ends, so a journal without a lock means a crash.
///
/// If it cannot be written, for example on a full disk, plugins are still loaded: new crashes are not
/// recorded, and known ones still are.
struct CrashMemory: ~Copyable {
    private let folder: URL
    private let journal: CrashJournal?
    private let isReported = Atomic(false)
    private let report: @Sendable (CrashMemoryUnavailable) -> Void

    private var listFile: URL { folder.appending(path: "crashed.json") }

    /// - Parameter report: told once that crashes are not remembered.
    init(folder: URL, report: @escaping @Sendable (CrashMemoryUnavailable) -> Void) {
        self.folder = folder
        self.report = report
        do throws(CrashMemoryUnavailable) {
            journal = try Self.openJournal(in: folder)
        } catch {
            journal = nil
        }
    }

    private static func openJournal(in folder: URL) throws(CrashMemoryUnavailable) -> CrashJournal {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CrashMemoryUnavailable(folder: folder)
        }
        let path = folder.appending(path: "loading-\(UUID().uuidString).json").path
        let journal = try alone(in: folder) {
            takeOverOrphans(in: folder)
            return CrashJournal(at: path)
        }
        guard let journal else { throw CrashMemoryUnavailable(folder: folder) }
        return journal
    }

    /// Keeps other processes out for a moment: they must not take a journal for an orphan that is not
    /// locked yet, nor write the list at the same time.
    private static func alone<Answer>(
        in folder: URL, _ body: () -> Answer
    ) throws(CrashMemoryUnavailable) -> Answer {
        let gate = open(folder.appending(path: "gate").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard gate >= 0 else { throw CrashMemoryUnavailable(folder: folder) }
        defer { close(gate) }
        while flock(gate, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CrashMemoryUnavailable(folder: folder) }
        }
        return body()
    }

    /// From now on plugins that were loaded are watched until the process ends.
    func watch() {
        guard let journal else { return reportOnce() }
        CrashWatch.begin(journal)
    }

    /// The crash that speaks against loading this plugin, if there is one.
    func crash(of candidate: PluginCandidate) -> PluginCrash? {
        Self.read(listFile).first {
            $0.id == candidate.id && $0.folder == candidate.folder.path
                && $0.libraryStamp == candidate.libraryStamp
        }
    }

    /// To be called right before a plugin's code can run.
    func begin(_ candidate: PluginCandidate) {
        let isRemembered = note(candidate)
        if !isRemembered { reportOnce() }
        CrashNote.set(
            "mailkernel: the plugin “\(candidate.id.printable)” in \(candidate.folder.path.printable) crashed while it was being "
                + (isRemembered
                    ? "loaded. Start again; it will then be skipped."
                    : "loaded. “mailkernel plugins --disable \(candidate.id.printable)” turns it off."))
    }

    private func reportOnce() {
        guard !isReported.exchange(true, ordering: .relaxed) else { return }
        report(CrashMemoryUnavailable(folder: folder))
    }

    /// False if it cannot be written.
    private func note(_ candidate: PluginCandidate) -> Bool {
        journal?.write(PluginCrash(of: candidate)) ?? false
    }

    /// To be called when the plugin has been loaded or refused.
    func end() {
        journal?.clear()
        CrashNote.clear()
    }

    /// To be called when the plugin was not ready in time: it would delay every start.
    func remember(_ candidate: PluginCandidate, waited seconds: Int) {
        var new = PluginCrash(of: candidate)
        new.waited = seconds
        let isWritten = try? Self.alone(in: folder) { [new] in Self.add([new], to: listFile) }
        if isWritten != true { reportOnce() }
    }

    /// Forgets the crashes of a plugin, so that it is tried again. False if there were none.
    static func forget(id: String, in folder: URL) throws(CrashMemoryUnavailable) -> Bool {
        guard access(folder.path, F_OK) == 0 else { return false }
        let isForgotten: Bool? = try alone(in: folder) {
            takeOverOrphans(in: folder)
            let file = folder.appending(path: "crashed.json")
            let crashes = read(file)
            let others = crashes.filter { $0.id != id }
            guard others.count < crashes.count else { return false }
            return (try? JSONEncoder().encode(others).write(to: file, options: .atomic)) != nil ? true : nil
        }
        guard let isForgotten else { throw CrashMemoryUnavailable(folder: folder) }
        return isForgotten
    }

    /// Turns what processes that a plugin ended have left behind into entries of the list.
    private static func takeOverOrphans(in folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix("loading-") {
            let path = folder.appending(path: name).path
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            let new = read(URL(filePath: path))
            guard new.isEmpty || add(new, to: folder.appending(path: "crashed.json")) else { continue }
            unlink(path)
        }
    }

    /// Writes entries into the list, in place of older ones of the same plugins. False if that fails.
    private static func add(_ new: [PluginCrash], to list: URL) -> Bool {
        let old = read(list).filter { crash in
            !new.contains { $0.id == crash.id && $0.folder == crash.folder }
        }
        guard let data = try? JSONEncoder().encode(old + new) else { return false }
        return (try? data.write(to: list, options: .atomic)) != nil
    }

    private static func read(_ file: URL) -> [PluginCrash] {
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([PluginCrash].self, from: data)) ?? []
    }
}

/// Crashes cannot be remembered.
public struct CrashMemoryUnavailable: Error, Sendable, CustomStringConvertible {
    public let folder: URL

    public var description: String {
        "The folder \(folder.path) cannot be written, so a crashing plugin will not be skipped at the next start. "
            + "Free some disk space and check the folder's permissions."
    }
}
