import FoundationEssentials
import Glibc
import MailKernelAPI

/// All files below a folder that may contain mail.
///
/// Reads the folders itself, because names need not be text. Links to folders are not followed: their target
/// is either inside the chosen folder and found anyway, or was not chosen.
struct ImportFolder {
    struct File {
        var path: DiskPath
        /// From the chosen folder on, the file's own name last.
        var names: [String]
        /// Whether it lies where a Maildir keeps its messages.
        var isMaildir = false
        /// What further letters in its name mean.
        var letters: [Character: Keyword] = [:]

        var display: String { names.joined(separator: "/") }

        /// In a Maildir, the letters behind `:2,` (or `!2,` where a colon cannot stand in a name).
        var flags: Substring {
            let name = names.last ?? ""
            guard isMaildir, let comma = name.lastIndex(of: ","), name[..<comma].hasSuffix("2") else {
                return ""
            }
            return name[name.index(after: comma)...].prefix { $0 != "." }
        }

        /// Whether the program that kept this message had deleted it: it marks a file of a Maildir as trashed, and
        /// renames the file `12` of an MH folder to `,12` or `#12`.
        var isDeleted: Bool {
            if isMaildir { return flags.contains("T") }
            guard let name = names.last, name.count > 1, name.first == "," || name.first == "#" else {
                return false
            }
            return name.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    private struct Folder {
        var path: DiskPath
        var names: [String]
        /// What letters in the names of its files mean, if it is one of a Maildir.
        var letters: [Character: Keyword] = [:]
    }

    private let root: DiskPath
    private(set) var files: [File] = []
    private(set) var failures: [ImportFailure] = []

    init(_ chosen: DiskPath) throws {
        guard let root = chosen.resolved, Self.names(in: root) != nil else {
            throw ImportProblem.unreadable(DiskPath.text(chosen.bytes))
        }
        self.root = root
        var waiting = [Folder(path: root, names: [])]
        while let folder = waiting.popLast() { waiting += read(folder).reversed() }
    }

    /// Notes the files of a folder and returns the folders in it.
    private mutating func read(_ folder: Folder) -> [Folder] {
        guard let names = Self.names(in: folder.path) else {
            fail(folder.names, "the folder cannot be read")
            return []
        }
        var folders: [Folder] = []
        let isProfile = Self.isProfile(names)
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let text = DiskPath.text(name)
            let path = folder.path.appending(name)
            guard isProfile ? Self.mailOfProfiles.contains(text) : !MailSniff.isBookkeeping(text) else {
                continue
            }
            switch path.kind {
            case S_IFDIR: folders.append(Folder(path: path, names: folder.names + (isProfile ? [] : [text])))
            case S_IFREG: add(path, folder.names + [text], folder.letters)
            case S_IFLNK: follow(path, folder.names + [text], folder.letters)
            default: fail(folder.names + [text], "it is not a regular file")
            }
        }
        let keywords = Array("dovecot-keywords".utf8)
        if names.contains(keywords) {
            let letters = MaildirKeywords.read(folder.path.appending(keywords))
            for index in folders.indices { folders[index].letters = letters }
        }
        return Self.withoutUnfinished(folders, names)
    }

    private mutating func add(_ path: DiskPath, _ names: [String], _ letters: [Character: Keyword]) {
        let folder = names.dropLast().last
        files.append(
            File(path: path, names: names, isMaildir: folder == "cur" || folder == "new", letters: letters))
    }

    private mutating func follow(_ path: DiskPath, _ names: [String], _ letters: [Character: Keyword]) {
        guard let target = path.resolved else { return fail(names, "it is a broken link") }
        guard target.isInside(root) else {
            return fail(names, "it is a link to a file outside the chosen folder")
        }
        if target.kind == S_IFREG { add(target, names, letters) }
    }

    private mutating func fail(_ names: [String], _ reason: String) {
        failures.append(ImportFailure(place: names.joined(separator: "/"), reason: reason))
    }

    /// In a profile of Thunderbird, mail is in two folders, and everything else is not mail. Below them is a folder
    /// for each account.
    private static let mailOfProfiles: Set = ["Mail", "ImapMail"]

    private static func isProfile(_ names: [[UInt8]]) -> Bool {
        names.contains(Array("prefs.js".utf8)) && mailOfProfiles.contains { names.contains(Array($0.utf8)) }
    }

    /// In a Maildir, `tmp` contains messages that are still being delivered.
    private static func withoutUnfinished(_ folders: [Folder], _ names: [[UInt8]]) -> [Folder] {
        guard names.contains(Array("cur".utf8)) else { return folders }
        return folders.filter { $0.names.last != "tmp" }
    }

    /// Nil if it cannot be read.
    private static func names(in folder: DiskPath) -> [[UInt8]]? {
        guard let stream = folder.withCString({ opendir($0) }) else { return nil }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names
    }
}
