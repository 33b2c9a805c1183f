import FoundationEssentials
import Glibc
import Mail
import MailKernelAPI
import MessageFormat

/// A file, or everything below a folder: Maildirs, single messages and mbox files, as they come.
struct FolderSource: MailSource {
    private static let longestMessage = Blobs.messageLimit
    private static let boxEndings = [".mbox", ".mbx", ".mbs", ".eml"]

    let size: Int
    private var files: [ImportFolder.File]
    /// What is still to be reported: places that cannot be read at all, and what a message lacks.
    private var failures: [ImportFailure]
    /// The mbox that is being read.
    private var box: MboxSource?
    /// Bytes of the files that were read.
    private var done = 0

    /// - Parameter url: a file or a folder.
    init(_ url: URL) throws {
        let path = DiskPath(url)
        if path.resolved?.kind == S_IFDIR {
            let listing = try ImportFolder(path)
            failures = listing.failures.reversed()
            files = listing.files.reversed()
        } else {
            failures = []
            files = [ImportFolder.File(path: path, names: [url.lastPathComponent])]
            _ = try ReadOnlyFile(path)
        }
        size = files.reduce(0) { $0 + Self.size($1.path) }
    }

    var position: Int { min(size, done + (box?.position ?? 0)) }

    mutating func next() throws -> FoundItem? {
        if let failure = failures.popLast() { return .failure(failure) }
        while true {
            if let item = box?.next() { return item }
            if let ended = box { done += ended.size }
            box = nil
            guard let file = files.popLast() else { return nil }
            guard let source = try? ReadOnlyFile(file.path) else {
                return Self.failure(file, "the file cannot be read")
            }
            switch Self.content(file, source) {
            case .box(let box): self.box = box
            case .nothing: done += source.size
            case .message(let place):
                done += source.size
                return message(file, source, place)
            case .other(let reason):
                done += source.size
                return Self.failure(file, reason)
            }
        }
    }

    /// Why there is no mail here at all, a reason for each file; nil if there is some, or something that should be.
    func objections() -> [ImportFailure]? {
        var found = Array(failures.reversed())
        for file in files.reversed() {
            guard let source = try? ReadOnlyFile(file.path) else { return nil }
            switch Self.content(file, source) {
            case .box, .message: return nil
            case .nothing: break
            case .other(let reason): found.append(ImportFailure(place: file.display, reason: reason))
            }
        }
        return found
    }

    // MARK: What a file holds

    private enum Content {
        case box(MboxSource)
        case message(place: [String])
        /// An mbox without a message.
        case nothing
        case other(reason: String)
    }

    private static func content(_ file: ImportFolder.File, _ source: ReadOnlyFile) -> Content {
        let name = file.names.last?.lowercased() ?? ""
        let folders = folders(file)
        let head = head(source)
        if file.isMaildir || name.hasSuffix(".eml") || name.hasSuffix(".eml.gz") {
            // Folders and files of these names may hold an mbox all the same.
            if let box = box(file, source, head), box.holdsSeveral() {
                return .box(box)
            }
            return objection(head).map { .other(reason: $0) } ?? .message(place: folders)
        }
        if source.size == 0 { return .nothing }
        if name.hasSuffix(AppleMessage.ending) || name.hasSuffix(AppleMessage.ending + ".gz") {
            return .message(place: folders)
        }
        if let box = box(file, source, head) { return .box(box) }
        if let reason = objection(head) { return .other(reason: reason) }
        let isMessage = MailSniff.isMessage(head.hasOnlyReturns ? head.withLineFeeds : head)
        // A message can have a whole mbox attached.
        let isBox = !isMessage || boxEndings.contains { name.hasSuffix($0) }
        if isBox, let box = box(file, source, head, hasPreface: true) { return .box(box) }
        return isMessage ? .message(place: folders) : .other(reason: "it contains no mail")
    }

    private static func box(
        _ file: ImportFolder.File, _ source: ReadOnlyFile, _ head: Data, hasPreface: Bool = false
    ) -> MboxSource? {
        MboxSource(source, name: file.display, place: place(ofBox: file), head: head, hasPreface: hasPreface)
    }

    private static func head(_ source: ReadOnlyFile) -> Data {
        var stream = source.stream()
        return Data((try? stream.read().prefix(64_000)) ?? Data())
    }

    private static func objection(_ head: Data) -> String? { MailSniff.objection(Data(head)) }

    /// Taken out of what programs put around it.
    private static func unwrapped(
        _ file: ImportFolder.File, _ bytes: Data
    ) throws(BrokenFile) -> (bytes: Data, apple: AppleMessage?) {
        if file.names.last?.lowercased().contains(AppleMessage.ending) == true {
            let apple = try AppleMessage(bytes)
            return (apple.bytes, apple)
        }
        return (bytes.hasOnlyReturns ? bytes.withLineFeeds : bytes, nil)
    }

    private mutating func message(
        _ file: ImportFolder.File, _ source: ReadOnlyFile, _ place: [String]
    ) -> FoundItem {
        do throws(BrokenFile) {
            let whole = try source.whole(upTo: Self.longestMessage)
            // A crash can leave nothing but NULs.
            guard whole.contains(where: { $0 != 0 }) else { return Self.failure(file, "the file is empty") }
            let (bytes, apple) = try Self.unwrapped(file, whole)
            if apple?.isDeleted == true || file.isDeleted { return .deleted }
            if let apple, apple.isDamaged {
                failures.append(
                    ImportFailure(
                        place: file.display, reason: "the file is damaged; the readable part was imported"))
            }
            let header = ImportHeader(bytes)
            let keywords =
                apple?.keywords
                ?? (file.isMaildir ? Self.flags(file) : header.statusKeywords.union([.seen]))
            return .message(
                FoundMessage(
                    bytes: bytes, place: place.isEmpty ? nil : place, keywords: keywords,
                    dates: header.dates, fileDate: source.modified))
        } catch {
            return Self.failure(file, error.reason)
        }
    }

    private static func failure(_ file: ImportFolder.File, _ reason: String) -> FoundItem {
        .failure(ImportFailure(place: file.display, reason: reason))
    }

    private static func size(_ path: DiskPath) -> Int {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 ? Int(status.st_size) : 0
    }

    private static func flags(_ file: ImportFolder.File) -> Set<Keyword> {
        var keywords: Set<Keyword> = []
        for letter in file.flags {
            switch letter {
            case "S": keywords.insert(.seen)
            case "R": keywords.insert(.answered)
            case "F": keywords.insert(.flagged)
            case "D": keywords.insert(.draft)
            case "P": keywords.insert(.forwarded)
            default: if let keyword = file.letters[letter] { keywords.insert(keyword) }
            }
        }
        return keywords
    }

    // MARK: The mailbox of a file

    /// The mailboxes that the folders of a file stand for.
    private static func folders(_ file: ImportFolder.File) -> [String] {
        var folders = file.names.dropLast(file.isMaildir ? 2 : 1)
        if file.names.last?.lowercased().contains(AppleMessage.ending) == true {
            folders = AppleMessage.mailbox(folders)
        }
        return folders.flatMap { folder -> [String] in
            // Maildir++ writes `Work/2024` as a folder `.Work.2024`.
            if file.isMaildir, folder.hasPrefix(".") {
                return folder.dropFirst().split(separator: ".").map { plain(String($0)) }
            }
            // Thunderbird keeps the children of `Work` in `Work.sbd`; Apple Mail keeps `Work` in
            // `Work.mbox/mbox`.
            return [plain(without([".sbd"] + boxEndings, folder))]
        }
    }

    /// No file of a Maildir is an mbox: a folder `new` that has some is one like any other.
    private static func place(ofBox file: ImportFolder.File) -> [String] {
        var file = file
        file.isMaildir = false
        return folders(file) + boxName(file)
    }

    private static func boxName(_ file: ImportFolder.File) -> [String] {
        let name = without([".gz"], file.names.last ?? "")
        if name == "mbox", file.names.dropLast().last?.hasSuffix(".mbox") == true { return [] }
        return [plain(without(boxEndings, name))]
    }

    /// Mail programs name folders on disk as the server does.
    private static func plain(_ name: String) -> String { FolderNameReader.name(of: name) ?? name }

    private static func without(_ endings: [String], _ name: String) -> String {
        guard let ending = endings.first(where: { name.lowercased().hasSuffix($0) }),
            name.count > ending.count
        else { return name }
        return String(name.dropLast(ending.count))
    }
}
