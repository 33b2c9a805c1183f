import MailKernelAPI

/// The mailboxes of an account, with their names on the server and their form for the kernel.
struct MailboxDirectory: Sendable {
    struct Entry: Sendable, Equatable {
        let name: MailboxName
        /// The levels of the name, as people read them, without the prefix that all have.
        let path: [String]
        let id: RemoteMailboxID
        var role: Mailbox.Role?
        /// It holds mail, and not only other mailboxes.
        let isSelectable: Bool
        let isFixed: Bool
        var parentID: RemoteMailboxID?
        var shownName: String
    }

    /// How mail is divided into feeds.
    enum Layout: Sendable, Equatable {
        case folders
        /// Each message once, in All Mail, with its labels; Trash and Junk apart.
        case labels(allMail: MailboxName)
    }

    private(set) var entries: [Entry] = []
    private(set) var layout = Layout.folders
    let delimiter: Character?
    let prefix: String
    let isUTF8: Bool
    private var byID: [RemoteMailboxID: Int] = [:]
    private var byName: [MailboxName: Int] = [:]

    /// The mailbox for messages without a label.
    static let archiveID = RemoteMailboxID("archive")

    /// - Parameters:
    ///   - hasLabels: the server offers Gmail's extension.
    ///   - ids: those of mailboxes that keep theirs when they are renamed.
    init(
        _ listed: [ListedMailbox], prefix: String, hasLabels: Bool, isUTF8: Bool,
        ids: [MailboxName: RemoteMailboxID] = [:]
    ) {
        let delimiter = listed.lazy.compactMap(\.delimiter).first
        self.delimiter = delimiter
        self.prefix = prefix
        self.isUTF8 = isUTF8
        let allMail = listed.first { $0.role == .all }
        if hasLabels, let allMail { layout = .labels(allMail: allMail.name) }
        add(listed.filter { $0.role != .all && $0.role != .important }, hasLabels ? [:] : ids)
        nameRoles()
        removeContainers()
        findParents()
    }

    // MARK: Looking up

    subscript(id: RemoteMailboxID) -> Entry? { byID[id].map { entries[$0] } }
    subscript(name: MailboxName) -> Entry? { byName[name].map { entries[$0] } }
    subscript(role role: Mailbox.Role) -> Entry? { entries.first { $0.role == role } }

    var hasLabels: Bool { layout != .folders }

    /// Whether a mailbox is the other one, or contains it.
    func contains(_ outer: Entry, _ inner: Entry) -> Bool {
        var next: Entry? = inner
        // A server could name them in a circle.
        for _ in 0...entries.count {
            guard let entry = next else { return false }
            if entry.id == outer.id { return true }
            next = entry.parentID.flatMap { self[$0] }
        }
        return false
    }

    /// The mailbox that a feed is read from, and the kernel's id of it if all its mail is in it alone.
    func source(of feed: FeedID) -> (name: MailboxName, mailboxID: RemoteMailboxID?, isSelectable: Bool)? {
        if case .labels(let allMail) = layout {
            if feed.rawValue == Self.id(allMail).rawValue { return (allMail, nil, true) }
            guard let entry = self[RemoteMailboxID(feed.rawValue)],
                entry.role == .trash || entry.role == .junk
            else { return nil }
            return (entry.name, entry.id, true)
        }
        guard let entry = self[RemoteMailboxID(feed.rawValue)] else { return nil }
        return (entry.name, entry.id, entry.isSelectable)
    }

    /// The feed with a mailbox's messages.
    func feed(of entry: Entry) -> FeedID {
        if case .labels(let allMail) = layout, entry.role != .trash, entry.role != .junk {
            return FeedID(Self.id(allMail).rawValue)
        }
        return FeedID(entry.id.rawValue)
    }

    var listing: MailboxListing {
        var mailboxes = entries.map { entry in
            RemoteMailbox(
                id: entry.id, name: entry.shownName, parentID: entry.parentID, role: entry.role,
                rights: entry.rights)
        }
        guard case .labels(let allMail) = layout else {
            return MailboxListing(mailboxes: mailboxes, feeds: entries.map { feed($0) })
        }
        mailboxes.append(
            RemoteMailbox(
                id: Self.archiveID, name: "Archive", role: .archive,
                rights: [.readItems, .addItems, .removeItems, .setSeen, .setKeywords]))
        let apart = entries.filter { $0.role == .trash || $0.role == .junk }
        return MailboxListing(
            mailboxes: mailboxes,
            feeds: [Feed(id: FeedID(Self.id(allMail).rawValue))] + apart.map { feed($0) })
    }

    private func feed(_ entry: Entry) -> Feed {
        let priority =
            switch entry.role {
            case .inbox: 0
            case .sent, .drafts: 1
            case .trash: 3
            case .junk: 4
            case .archive, .flagged, .all, .important, nil: 2
            }
        return Feed(id: FeedID(entry.id.rawValue), mailboxID: entry.id, priority: priority)
    }

    /// A hash of the names of all mailboxes.
    var fingerprint: UInt64 {
        Self.hash(entries.map(\.name.wire).sorted().joined(separator: "\n"))
    }

    static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// The name of a mailbox that is to be made; nil if it cannot be one.
    func name(_ name: String, below parent: Entry?) -> MailboxName? {
        guard !name.isEmpty, name.utf8.count <= 255,
            !name.contains(where: { $0 == delimiter || "*%".contains($0) }),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        let encoded = MailboxName(name, isUTF8: isUTF8).wire
        guard let parent else { return MailboxName(wire: prefix + encoded) }
        guard let delimiter else { return nil }
        return MailboxName(wire: parent.name.wire + String(delimiter) + encoded)
    }

    /// The feed of the messages that are in this mailbox on the server.
    func feed(in name: MailboxName) -> FeedID { FeedID((self[name]?.id ?? Self.id(name)).rawValue) }

    /// What the kernel calls a mailbox. Names are their own ids, but for very long ones and one that is taken.
    static func id(_ name: MailboxName) -> RemoteMailboxID {
        let text = name.wire
        guard text.utf8.count > 255 || text == archiveID.rawValue else { return RemoteMailboxID(text) }
        return id(RemoteMailboxID(text), with: text)
    }

    /// A different one for a mailbox whose usual id is taken.
    static func id(_ usual: RemoteMailboxID, with text: String) -> RemoteMailboxID {
        RemoteMailboxID("\(String(decoding: usual.rawValue.utf8.prefix(200), as: UTF8.self))#\(hash(text))")
    }

    // MARK: Making

    private mutating func add(_ listed: [ListedMailbox], _ ids: [MailboxName: RemoteMailboxID]) {
        var roles: Set<Mailbox.Role> = []
        let sorted = listed.map { (box: $0, path: path($0.name)) }.sorted { one, other in
            (one.path.count, one.box.name.wire) < (other.path.count, other.box.name.wire)
        }
        let taken = Set(ids.values)
        for (box, path) in sorted where byName[box.name] == nil {
            let usual = Self.id(box.name)
            let other = taken.contains(usual) ? Self.id(usual, with: box.name.wire) : usual
            let id = ids[box.name] ?? other
            // A server can name one like the id that another gets.
            guard byID[id] == nil else { continue }
            guard !box.attributes.contains("\\nonexistent") || box.attributes.contains("\\haschildren") else {
                continue
            }
            let isSelectable = box.attributes.isDisjoint(with: ["\\noselect", "\\nonexistent"])
            let role = isSelectable ? box.role.flatMap { roles.insert($0).inserted ? $0 : nil } : nil
            byName[box.name] = entries.count
            byID[id] = entries.count
            entries.append(
                Entry(
                    name: box.name, path: path, id: id, role: role,
                    isSelectable: isSelectable,
                    isFixed: box.name == .inbox || (hasLabels && role != nil),
                    shownName: box.name == .inbox ? "Inbox" : path.last ?? box.name.shown))
        }
    }

    private func path(_ name: MailboxName) -> [String] {
        guard let delimiter else { return [name.shown] }
        let rest = name.wire.hasPrefix(prefix) ? name.wire.dropFirst(prefix.count) : name.wire[...]
        let levels = rest.split(separator: delimiter).map { MailboxName(wire: String($0)).shown }
        return levels.isEmpty ? [name.shown] : levels
    }

    /// Servers that do not mark any mailbox as that of a role mean the one with the usual name.
    private mutating func nameRoles() {
        // Labels are named by the user, and Gmail reports the roles of its own.
        guard !hasLabels else { return }
        for (role, names) in Self.usualNames where self[role: role] == nil {
            let index = entries.firstIndex { entry in
                entry.path.count == 1 && entry.role == nil && entry.isSelectable
                    && names.contains(entry.shownName.lowercased())
            }
            if let index { entries[index].role = role }
        }
    }

    /// As servers that do not tell the use of a mailbox name them, in the languages they are set up in.
    private static let usualNames: [(Mailbox.Role, Set<String>)] = [
        (
            .sent,
            [
                "sent", "sent items", "sent mail", "sent messages", "gesendet", "gesendete elemente",
                "gesendete objekte", "envoyés", "éléments envoyés", "messages envoyés", "enviados",
                "elementos enviados", "itens enviados", "inviati", "inviata", "posta inviata", "verzonden",
                "verzonden items", "wysłane", "skickat", "отправленные",
            ]
        ),
        (
            .drafts,
            [
                "drafts", "draft", "entwürfe", "brouillons", "borradores", "rascunhos", "bozze", "concepten",
                "szkice", "utkast", "черновики",
            ]
        ),
        (
            .trash,
            [
                "trash", "deleted items", "deleted messages", "bin", "papierkorb", "gelöschte elemente",
                "corbeille", "éléments supprimés", "papelera", "lixeira", "cestino", "prullenbak", "kosz",
                "papperskorgen", "корзина",
            ]
        ),
        (
            .junk,
            [
                "junk", "spam", "junk e-mail", "junk email", "bulk mail", "spamverdacht", "indésirables",
                "courrier indésirable", "correo no deseado", "posta indesiderata", "спам",
            ]
        ),
        (.archive, ["archive", "archives", "archiv", "archivo", "arquivo", "archivio", "archief", "архив"]),
    ]

    /// Gmail keeps its own mailboxes below one that holds no mail and says nothing.
    private mutating func removeContainers() {
        guard hasLabels else { return }
        entries = entries.filter { $0.isSelectable }
        (byID, byName) = ([:], [:])
        for (index, entry) in entries.enumerated() {
            byID[entry.id] = index
            byName[entry.name] = index
        }
    }

    /// The nearest level above that is listed; the levels between are shown in the name.
    private mutating func findParents() {
        guard let delimiter else { return }
        let isGmail = hasLabels
        for index in entries.indices {
            let entry = entries[index]
            guard entry.path.count > 1, !(isGmail && entry.role != nil) else { continue }
            var above = entry.name.wire[...]
            var levels = 0
            while let cut = above.lastIndex(of: delimiter) {
                above = above[..<cut]
                levels += 1
                if let parent = self[MailboxName(wire: String(above))], levels < entry.path.count {
                    entries[index].parentID = parent.id
                    break
                }
            }
            let shown = entries[index].parentID == nil ? entry.path[...] : entry.path.suffix(levels)
            entries[index].shownName = shown.joined(separator: String(delimiter))
        }
    }
}

extension MailboxDirectory.Entry {
    fileprivate var rights: MailboxRights {
        if !isSelectable { return [.createChild, .rename, .delete] }
        var rights = MailboxRights.all
        if isFixed { rights.subtract([.rename, .delete]) }
        return rights
    }
}

extension ListedMailbox {
    /// By the attributes of RFC 6154, and the older ones of `XLIST`.
    var role: Mailbox.Role? {
        if name == .inbox { return .inbox }
        return Self.roles.first { attributes.contains($0.0) }?.1
    }

    private static let roles: [(String, Mailbox.Role)] = [
        ("\\all", .all), ("\\allmail", .all), ("\\important", .important), ("\\sent", .sent),
        ("\\drafts", .drafts), ("\\trash", .trash), ("\\junk", .junk), ("\\spam", .junk),
        ("\\archive", .archive), ("\\flagged", .flagged), ("\\starred", .flagged),
    ]
}
