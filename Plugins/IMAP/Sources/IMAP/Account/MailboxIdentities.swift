public import FoundationEssentials
import Glibc
import MailKernelAPI

/// What the kernel calls mailboxes of servers that give each a permanent id (RFC 8474).
///
/// A mailbox keeps the name that it had when it was first seen as its id for the kernel, so that one that another
/// program renames keeps its mail here. Without this note, names are ids again: renamed mailboxes are read again from
/// the beginning, and nothing is lost.
public struct MailboxIdentities {
    private struct Note: Codable, Hashable {
        let id: RemoteMailboxID
        /// What the server called it last.
        let name: String
    }

    private let folder: URL
    private let name: String
    /// By the server's ids. Nil until they were read.
    private var notes: [String: Note]?

    /// - Parameter folder: the plugin's own.
    public init(user: String, host: String, folder: URL) {
        self.folder = folder
        name = "mailboxes-\(MailboxDirectory.hash("\(user)\n\(host)")).json"
    }

    /// The ids of all mailboxes that the server lists, which are on disk when this returns.
    ///
    /// - Parameter listed: with the server's ids. One that the server left out this time is known by its name.
    mutating func ids(
        of listed: [(name: MailboxName, mailboxID: String?)]
    ) throws(AccountError) -> [MailboxName: RemoteMailboxID] {
        let before = try read()
        let byName = Dictionary(before.map { ($0.value.name, $0.key) }) { first, _ in first }
        let found = listed.map { ($0.name, $0.mailboxID ?? byName[$0.name.wire]) }
        var taken = Set(found.compactMap { _, mailboxID in mailboxID.flatMap { before[$0]?.id } })
        var ids: [MailboxName: RemoteMailboxID] = [:]
        var now: [String: Note] = [:]
        for case (let name, let mailboxID?) in found where ids[name] == nil && now[mailboxID] == nil {
            let usual = MailboxDirectory.id(name)
            let id: RemoteMailboxID
            if let known = before[mailboxID]?.id {
                id = known
            } else if taken.insert(usual).inserted {
                id = usual
            } else {
                // Another mailbox had this name before it was renamed.
                id = MailboxDirectory.id(usual, with: mailboxID)
                guard taken.insert(id).inserted else { continue }
            }
            now[mailboxID] = Note(id: id, name: name.wire)
            ids[name] = id
        }
        if now != before { try write(now) }
        return ids
    }

    /// Of an account that is removed.
    public func remove() { unlink(folder.appending(path: name).path) }

    private mutating func read() throws(AccountError) -> [String: Note] {
        if let notes { return notes }
        var found: [String: Note] = [:]
        do {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            // A damaged file is as good as none.
            found = (try? JSONDecoder().decode([String: Note].self, from: bytes)) ?? [:]
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            // None was written yet.
        } catch {
            throw .local(reason: "The ids of mailboxes could not be read in \(folder.path).")
        }
        notes = found
        return found
    }

    private mutating func write(_ all: [String: Note]) throws(AccountError) {
        let file = folder.appending(path: name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try JSONEncoder().encode(all).write(to: file, options: .atomic)
            try LeavingMail.flush(file.path)
            try LeavingMail.flush(folder.path)
        } catch {
            throw .local(reason: "The ids of mailboxes could not be saved in \(folder.path).")
        }
        notes = all
    }
}
