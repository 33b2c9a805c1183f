import FoundationEssentials
import MailKernelAPI
import WebCalls

/// The folders of a mailbox as far as Microsoft has told of them.
struct FolderTree: Sendable {
    struct Folder: Sendable, Decodable {
        let id: String
        var displayName: String?
        var parentFolderId: String?
        var totalItemCount: Int?
        let isHidden: Bool?
        let removed: JSONValue?

        enum CodingKeys: String, CodingKey {
            case id, displayName, parentFolderId, totalItemCount, isHidden
            case removed = "@removed"
        }

        init(id: String, name: String, parent: String?) {
            (self.id, displayName, parentFolderId, totalItemCount) = (id, name, parent, 0)
            (isHidden, removed) = (nil, nil)
        }
    }

    /// Folders that every mailbox has, by the names that Microsoft gives them in paths.
    static let wellKnown: [(name: String, role: Mailbox.Role)] = [
        ("inbox", .inbox), ("sentitems", .sent), ("drafts", .drafts), ("deleteditems", .trash),
        ("junkemail", .junk), ("archive", .archive),
    ]
    static let rootName = "msgfolderroot"
    /// Messages on their way stay here for a moment.
    static let outboxName = "outbox"

    var folders: [String: Folder] = [:]
    /// Ids by the names in paths; empty before they were asked for.
    var known: [String: String] = [:]
    /// Where the next changes are.
    var link: String?

    /// What a page of changes says.
    mutating func take(_ folder: Folder) {
        guard folder.removed == nil else {
            folders[folder.id] = nil
            return
        }
        guard RemoteMailboxID(folder.id).isUsable else { return }
        guard var own = folders[folder.id] else {
            if folders.count < SyncLimits.mailboxes { folders[folder.id] = folder }
            return
        }
        // A change need not repeat what stayed as it was.
        own.displayName = folder.displayName ?? own.displayName
        own.parentFolderId = folder.parentFolderId ?? own.parentFolderId
        own.totalItemCount = folder.totalItemCount ?? own.totalItemCount
        folders[folder.id] = own
    }

    /// Whether it is not known which folder is which, or no longer.
    var lacksKnown: Bool { known["inbox"].map { folders[$0] == nil } ?? true }

    /// Parents before children. A folder whose parent is missing is at the top.
    var mailboxes: [RemoteMailbox] {
        let roles = Dictionary(
            Self.wellKnown.compactMap { entry in known[entry.name].map { ($0, entry.role) } }
        ) { first, _ in first }
        let shown = folders.filter { id, folder in
            folder.isHidden != true && id != known[Self.rootName] && id != known[Self.outboxName]
                && folder.displayName?.isEmpty == false
        }
        var sorted: [RemoteMailbox] = []
        var done: Set<String> = []
        for id in shown.keys.sorted() {
            // From the folder up to one that is listed already; a circle ends where it closes.
            var chain: [String] = []
            var next: String? = id
            while let one = next, shown[one] != nil, !done.contains(one), !chain.contains(one) {
                chain.append(one)
                next = shown[one]?.parentFolderId
            }
            for one in chain.reversed() {
                guard let folder = shown[one] else { continue }
                let parent = folder.parentFolderId.flatMap { done.contains($0) ? RemoteMailboxID($0) : nil }
                var rights = MailboxRights.all
                if known.values.contains(one) { rights.subtract([.rename, .delete]) }
                done.insert(one)
                sorted.append(
                    RemoteMailbox(
                        id: RemoteMailboxID(one), name: folder.displayName ?? "", parentID: parent,
                        role: roles[one], rights: rights))
            }
        }
        return sorted
    }
}

extension GraphAccountSession {
    private static let mostPages = 2_000

    private struct Page: Decodable {
        let value: [Lenient<FolderTree.Folder>]
        let next: String?
        let delta: String?

        enum CodingKeys: String, CodingKey {
            case value
            case next = "@odata.nextLink"
            case delta = "@odata.deltaLink"
        }
    }

    /// All mailboxes. Only what changed since the last time is asked for.
    func listing() async throws -> [RemoteMailbox] {
        do {
            try await refresh()
        } catch let failure as GraphFailure where failure.refusal?.isExpired == true && tree.link != nil {
            tree = FolderTree()
            try await refresh()
        }
        if tree.lacksKnown { tree.known = try await knownFolders() }
        return tree.mailboxes
    }

    private func refresh() async throws {
        var new = tree
        var link =
            new.link
            ?? place.base + place.mailbox
            + "/mailFolders/delta?$select=id,displayName,parentFolderId,totalItemCount,isHidden"
        for _ in 0..<Self.mostPages {
            let page = try GraphWire.decode(
                Page.self, try await wire.get(try place.link(link), pageSize: 250))
            for folder in page.value.compactMap(\.value) { new.take(folder) }
            if let delta = page.delta {
                _ = try place.link(delta)
                new.link = delta
                tree = new
                return
            }
            guard let next = page.next, next != link else {
                throw AccountError.badAnswer("the list of folders does not go on")
            }
            link = next
        }
        throw AccountError.badAnswer("the list of folders does not end")
    }

    private func knownFolders() async throws -> [String: String] {
        let names = FolderTree.wellKnown.map(\.name) + [FolderTree.rootName, FolderTree.outboxName]
        let requests = names.map { Subrequest(path: place.folder($0) + "?$select=id") }
        var known: [String: String] = [:]
        for (name, reply) in zip(names, try await wire.batch(requests, purpose: "sync mail")) {
            // Not every mailbox has an archive. Whatever else goes wrong is no reason to do without a role.
            if case .refused(let refusal) = reply, refusal.isNotFound { continue }
            if let id = try reply.success()["id"]?.stringValue, RemoteMailboxID(id).isUsable {
                known[name] = id
            }
        }
        guard known["inbox"] != nil else { throw AccountError.badAnswer("the mailbox has no inbox") }
        return known
    }

    func folderID(_ name: String) async throws -> String? {
        if tree.known.isEmpty { _ = try await listing() }
        return tree.known[name]
    }
}
