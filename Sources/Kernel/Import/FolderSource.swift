import FoundationEssentials
import Glibc
import MailKernelAPI

/// A Maildir, or a folder with one `.eml` file per message, with all folders below it.
struct FolderSource: MailSource {
    private struct File {
        var url: URL
        var size: Int
        var place: [String]?
        var isMaildir: Bool
    }

    private static let longestMessage = Blobs.messageLimit

    let size: Int
    /// Whether there is nothing in it to import, and nothing that should have been.
    var isEmpty: Bool { size == 0 && failures.isEmpty }
    private(set) var position = 0
    private var files: [File]
    /// What cannot be opened by its name, or not be listed.
    private var failures: [ImportFailure] = []

    init(_ url: URL) throws {
        let listing = try ImportFolder(url.path)
        failures = listing.failures.reversed()
        files = listing.paths.sorted().compactMap { Self.file($0, in: url) }
        size = files.reduce(0) { $0 + $1.size }
        files.reverse()
    }

    /// A single message.
    init(file url: URL) throws {
        size = try ReadOnlyFile(url).size
        files = [File(url: url, size: size, place: nil, isMaildir: false)]
    }

    mutating func next() throws -> FoundItem? {
        if let failure = failures.popLast() { return .failure(failure) }
        guard let file = files.popLast() else { return nil }
        position += file.size
        let name = file.url.lastPathComponent
        guard let source = try? ReadOnlyFile(file.url) else {
            return .failure(ImportFailure(place: name, reason: "the file cannot be read"))
        }
        guard source.size > 0, source.size <= Self.longestMessage else {
            let most = Self.longestMessage / 1_000_000
            let reason = source.size == 0 ? "the file is empty" : "the message is larger than \(most) MB"
            return .failure(ImportFailure(place: name, reason: reason))
        }
        let bytes = source.read(at: 0, count: source.size)
        guard bytes.count == source.size else {
            return .failure(ImportFailure(place: name, reason: "the file cannot be read to its end"))
        }
        let header = ImportHeader(bytes)
        return .message(
            FoundMessage(
                bytes: bytes, place: file.place,
                keywords: file.isMaildir ? Self.flags(name) : header.statusKeywords.union([.seen]),
                receivedAt: header.date ?? Self.modified(file.url)))
    }

    private static func modified(_ url: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
    }

    /// The letters behind `:2,` (or `!2,` where a colon cannot stand in a name).
    private static func flags(_ name: String) -> Set<Keyword> {
        guard let comma = name.lastIndex(of: ","), name[..<comma].hasSuffix("2") else { return [] }
        var keywords: Set<Keyword> = []
        for letter in name[name.index(after: comma)...] {
            switch letter {
            case "S": keywords.insert(.seen)
            case "R": keywords.insert(.answered)
            case "F": keywords.insert(.flagged)
            case "D": keywords.insert(.draft)
            case "P": keywords.insert(.forwarded)
            default: break
            }
        }
        return keywords
    }

    private static func file(_ path: String, in root: URL) -> File? {
        let components = path.split(separator: "/").map(String.init)
        guard ImportFolder.isMail(path) else { return nil }
        let folders = Array(components.dropLast())
        let isMaildir = folders.last == "cur" || folders.last == "new"
        let url = root.appending(path: path)
        var status = stat()
        // A link that leads nowhere is told when it is opened.
        let isThere = stat(url.path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return nil }
        let place = isMaildir ? maildirPlace(Array(folders.dropLast())) : folders
        return File(
            url: url, size: isThere ? Int(status.st_size) : 0, place: place.isEmpty ? nil : place,
            isMaildir: isMaildir)
    }

    /// Maildir++ writes `Work/2024` as a folder `.Work.2024`.
    private static func maildirPlace(_ folders: [String]) -> [String] {
        folders.flatMap { folder in
            folder.hasPrefix(".") ? folder.dropFirst().split(separator: ".").map(String.init) : [folder]
        }
    }
}
