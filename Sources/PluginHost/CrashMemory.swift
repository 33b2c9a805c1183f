public import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization

/// A plugin that ended the program while it was being loaded, or was not ready in time.
public struct PluginCrash: Sendable, Hashable, Codable {
    public var id: String
    public var folder: String
    /// Says which file it was: a library that has been replaced is tried again.
    public var libraryStamp: String
    public var at: Date
    /// How many seconds the program waited for it in vain; nil if it ended the program.
    public var waited: Int?
}

/// Remembers, over the end of the process, which plugin was being loaded.
///
/// Each process that loads plugins writes the one at hand into a file of its own and holds a lock on
/// it. The lock goes with the process however it ends, so a file without a lock tells of a crash.
///
/// Where it cannot be written, on a full disk above all, plugins are loaded all the same: a crash is then not
/// remembered, and known ones still are.
struct CrashMemory: ~Copyable {
    private struct Journal {
        let path: String
        let descriptor: CInt
    }

    private let folder: URL
    private let journal: Journal?
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

    private static func openJournal(in folder: URL) throws(CrashMemoryUnavailable) -> Journal {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CrashMemoryUnavailable(folder: folder)
        }
        let path = folder.appending(path: "loading-\(UUID().uuidString).json").path
        let descriptor = try alone(in: folder) {
            takeOverOrphans(in: folder)
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? descriptor : -1
        }
        guard descriptor >= 0 else { throw CrashMemoryUnavailable(folder: folder) }
        return Journal(path: path, descriptor: descriptor)
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

    deinit {
        CrashNote.clear()
        guard let journal else { return }
        unlink(journal.path)
        close(journal.descriptor)
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
                    ? "loaded. Start again: it will then be skipped."
                    : "loaded. “mailkernel plugins --disable \(candidate.id.printable)” turns it off."))
    }

    private func reportOnce() {
        guard !isReported.exchange(true, ordering: .relaxed) else { return }
        report(CrashMemoryUnavailable(folder: folder))
    }

    /// False if it cannot be written.
    private func note(_ candidate: PluginCandidate) -> Bool {
        guard let journal else { return false }
        let entry = PluginCrash(
            id: candidate.id, folder: candidate.folder.path, libraryStamp: candidate.libraryStamp, at: Date())
        let data = (try? JSONEncoder().encode([entry])) ?? Data()
        let written = data.withUnsafeBytes { bytes in
            ftruncate(journal.descriptor, 0) == 0
                ? pwrite(journal.descriptor, bytes.baseAddress, bytes.count, 0) : -1
        }
        return !data.isEmpty && written == data.count
    }

    /// To be called when the plugin has been loaded or refused.
    func end() {
        if let journal { _ = ftruncate(journal.descriptor, 0) }
    }

    /// To be called when the plugin was not ready in time: it would delay every start.
    func remember(_ candidate: PluginCandidate, waited seconds: Int) {
        let new = PluginCrash(
            id: candidate.id, folder: candidate.folder.path, libraryStamp: candidate.libraryStamp, at: Date(),
            waited: seconds)
        let isWritten = try? Self.alone(in: folder) { Self.add([new], to: listFile) }
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

    /// Turns what processes that ended while loading have left behind into entries of the list.
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
        "The folder \(folder.path) cannot be written, so a plugin that crashes is not skipped at the next start. "
            + "Free some disk space and check the folder's permissions."
    }
}
