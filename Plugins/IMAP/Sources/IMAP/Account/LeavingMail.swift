public import FoundationEssentials
import Glibc
import MailKernelAPI

/// Messages being permanently deleted through Gmail's Trash. Their ids change on the way: the data to find
/// them again is stored before the first step, so that an interrupted deletion can continue.
public struct LeavingMail {
    struct Entry: Codable, Hashable {
        let address: RemoteAddress
        /// The number that Gmail gives a message wherever it is.
        let number: UInt64
        /// The id in Trash, once known.
        var inTrash: RemoteMessageID?
    }

    private let folder: URL
    private let name: String
    /// Nil until they were read.
    private var entries: [RemoteAddress: Entry]?

    /// - Parameter folder: the plugin's own.
    public init(user: String, host: String, folder: URL) {
        self.folder = folder
        name = "leaving-\(MailboxDirectory.hash("\(user)\n\(host)")).json"
    }

    mutating func of(_ addresses: Set<RemoteAddress>) throws(AccountError) -> [Entry] {
        try read().values.filter { addresses.contains($0.address) }
    }

    mutating func note(_ new: [Entry]) throws(AccountError) {
        guard !new.isEmpty else { return }
        var all = try read()
        for entry in new { all[entry.address] = entry }
        try write(all)
    }

    mutating func forget(_ addresses: some Collection<RemoteAddress>) throws(AccountError) {
        var all = try read()
        let before = all.count
        for address in addresses { all[address] = nil }
        if all.count != before { try write(all) }
    }

    /// Of an account that is removed.
    public func remove() {
        unlink(folder.appending(path: name).path)
    }

    private mutating func read() throws(AccountError) -> [RemoteAddress: Entry] {
        if let entries { return entries }
        let list = (try bytes()).flatMap { try? JSONDecoder().decode([Entry].self, from: $0) } ?? []
        let all = Dictionary(list.map { ($0.address, $0) }) { $1 }
        entries = all
        return all
    }

    /// Nil only if the file does not exist: an unreadable file must not be overwritten.
    private func bytes() throws(AccountError) -> Data? {
        do {
            return try Data(contentsOf: folder.appending(path: name))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            throw .local(reason: "Pending deletions could not be read in \(folder.path).")
        }
    }

    private mutating func write(_ all: [RemoteAddress: Entry]) throws(AccountError) {
        let file = folder.appending(path: name)
        do {
            if all.isEmpty {
                unlink(file.path)
            } else {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try JSONEncoder().encode(Array(all.values)).write(to: file, options: .atomic)
                try Self.flush(file.path)
                try Self.flush(folder.path)
            }
        } catch {
            throw .local(reason: "Pending deletions could not be saved in \(folder.path).")
        }
        entries = all
    }

    /// Returns when the file or folder is on disk.
    static func flush(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CannotFlush() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw CannotFlush() }
    }

    private struct CannotFlush: Error {}
}
