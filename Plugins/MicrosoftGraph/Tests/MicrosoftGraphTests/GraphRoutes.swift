import FoundationEssentials
import MailKernelAPI

/// What the server answers to each path.
extension GraphMailbox {
    private static let base = "https://\(GraphServer.host)/v1.0/me"

    mutating func answer(_ call: GraphCall) -> GraphAnswer {
        guard call.wantsImmutableIDs || call.path.isEmpty else {
            return .error(400, "Test", "This plugin wants ids that stay the same.")
        }
        switch (call.method, call.path.first, call.path.count) {
        case ("GET", nil, 0):
            return GraphAnswer(json: [
                "mail": .string(Self.address), "userPrincipalName": .string("a.lovelace@contoso.com"),
                "displayName": "Ada Lovelace", "proxyAddresses": ["SMTP:ada@contoso.com"],
            ])
        case (_, "mailFolders", 1...): return folderAnswer(call, Array(call.path.dropFirst()))
        case ("POST", "messages", 1): return make(call, in: Self.folderID("drafts"))
        case ("GET", "messages", 1):
            let all = messages.values.sorted { $0.changed > $1.changed }
            return list(Array(all), call)
        case (_, "messages", 2...): return messageAnswer(call, call.path[1], Array(call.path.dropFirst(2)))
        default: return .error(400, "BadRequest", "Resource not found for the segment.")
        }
    }

    // MARK: Folders

    private mutating func folderAnswer(_ call: GraphCall, _ path: [String]) -> GraphAnswer {
        if path == ["delta"] { return folderDelta(call) }
        guard let first = path.first else {
            return newFolder(call, below: Self.folderID("msgfolderroot"))
        }
        let id = folderID(first)
        guard id.hasPrefix("AAMk-") else { return .malformed }
        let isRoot = id == Self.folderID("msgfolderroot")
        guard
            let folder = folders[id] ?? (isRoot ? Folder(id: id, name: "Root", parent: "", changed: 0) : nil)
        else { return .notFound }
        switch (call.method, Array(path.dropFirst())) {
        case ("GET", []): return GraphAnswer(json: json(folder))
        case ("PATCH", []):
            var renamed = folder
            renamed.name = call.json?["displayName"]?.stringValue ?? folder.name
            setFolder(renamed)
            return GraphAnswer(json: json(renamed))
        case ("POST", ["childFolders"]): return newFolder(call, below: id)
        case ("POST", ["move"]):
            var moved = folder
            moved.parent = folderID(call.json?["destinationId"]?.stringValue ?? "")
            guard folders[moved.parent] != nil || moved.parent == Self.folderID("msgfolderroot") else {
                return .notFound
            }
            setFolder(moved)
            return GraphAnswer(status: 201, json: json(moved))
        case ("POST", ["permanentDelete"]):
            removeFolder(id)
            return GraphAnswer(status: 204)
        case ("GET", ["messages"]): return list(inFolder(id), call)
        case ("POST", ["messages"]): return make(call, in: id)
        case ("GET", ["messages", "delta"]): return delta(call, id)
        default: return .error(400, "BadRequest", "Resource not found for the segment.")
        }
    }

    private func json(_ folder: Folder) -> JSONValue {
        let inside = messages.values.filter { $0.folder == folder.id }
        return [
            "id": .string(folder.id), "displayName": .string(folder.name),
            "parentFolderId": .string(folder.parent), "isHidden": false,
            "totalItemCount": .number(Double(inside.count)),
            "unreadItemCount": .number(Double(inside.count { !$0.isRead })),
        ]
    }

    private mutating func newFolder(_ call: GraphCall, below parent: String) -> GraphAnswer {
        let name = call.json?["displayName"]?.stringValue ?? ""
        guard !folders.values.contains(where: { $0.parent == parent && $0.name == name }) else {
            return .error(409, "ErrorFolderExists", "A folder with the specified name already exists.")
        }
        let folder = Folder(id: next("AAMk-f"), name: name, parent: parent, changed: version)
        setFolder(folder)
        return GraphAnswer(status: 201, json: json(folder))
    }

    private func folderDelta(_ call: GraphCall) -> GraphAnswer {
        let since = Int(call.query["$deltatoken"] ?? "0") ?? 0
        guard since == 0 || since >= oldest else {
            return .error(410, "syncStateNotFound", "The sync state generation is not found.")
        }
        var value = folders.values.filter { $0.changed > since }.sorted { $0.id < $1.id }.map { json($0) }
        value += goneFolders.filter { $0.at > since && since > 0 }.map {
            ["id": .string($0.id), "@removed": ["reason": "deleted"]]
        }
        return GraphAnswer(json: [
            "value": .array(value),
            "@odata.deltaLink": .string("\(Self.base)/mailFolders/delta?$deltatoken=\(version)"),
        ])
    }

    // MARK: Lists

    private func list(_ all: [Message], _ call: GraphCall) -> GraphAnswer {
        var all = all
        if let filter = call.query["$filter"], filter.hasPrefix("internetMessageId eq '") {
            let wanted = filter.dropFirst(22).dropLast().replacing("''", with: "'")
            all = all.filter { Self.field("Message-ID", $0.bytes) == wanted }
        }
        let skip = Int(call.query["$skip"] ?? "") ?? 0
        let size = min(Int(call.query["$top"] ?? "") ?? 10, mostOnPage)
        let page = all.dropFirst(skip).prefix(size)
        var json: [String: JSONValue] = [
            "value": .array(page.map { Self.selected(self.json($0), call.query) })
        ]
        if skip + page.count < all.count {
            let rest = call.query.filter { $0.key != "$skip" }.map { "\($0.key)=\($0.value)" }.joined(
                separator: "&")
            let path = call.path.joined(separator: "/")
            json["@odata.nextLink"] = .string("\(Self.base)/\(path)?\(rest)&$skip=\(skip + page.count)")
        }
        return GraphAnswer(json: .object(json))
    }

    /// Tokens name a version, and where a page begins.
    private func delta(_ call: GraphCall, _ folder: String) -> GraphAnswer {
        let token = (call.query["$skiptoken"] ?? call.query["$deltatoken"] ?? "").split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        let query = ["$select": "receivedDateTime,isRead,isDraft,flag,categories,importance,parentFolderId"]
            .merging(["$expand": "singleValueExtendedProperties"]) { own, _ in own }
        let size = min(call.pageSize ?? 10, mostOnPage)
        func link(_ kind: String, _ token: String) -> JSONValue {
            .string("\(Self.base)/mailFolders('\(folder)')/messages/delta?$\(kind)=\(token)")
        }
        if token.count != 1 || token[0].isEmpty {
            let start = token.count == 3 ? Int(token[0]) ?? 0 : version
            guard start >= oldest else { return Self.expired }
            // What came since then follows as a change.
            let all = inFolder(folder).filter { message in
                guard token.count == 3, let after = Double(token[1]), let number = Int(token[2]) else {
                    return true
                }
                return (message.received.timeIntervalSince1970, message.number) < (after, number)
            }
            let page = all.prefix(size)
            var json: [String: JSONValue] = [
                "value": .array(page.map { Self.selected(self.json($0), query) })
            ]
            if page.count < all.count, let last = page.last {
                let after = "\(Int(last.received.timeIntervalSince1970)).\(last.number)"
                json["@odata.nextLink"] = link("skiptoken", "\(start).\(after)")
            } else {
                json["@odata.deltaLink"] = link("deltatoken", "\(start)")
            }
            return GraphAnswer(json: .object(json))
        }
        let since = Int(token[0]) ?? 0
        guard since >= oldest else { return Self.expired }
        return GraphAnswer(json: changes(in: folder, since: since, size, query, link))
    }

    private static let expired = GraphAnswer.error(
        410, "syncStateNotFound", "The sync state generation is not found; a full sync is needed.")

    private func changes(
        in folder: String, since: Int, _ size: Int, _ query: [String: String],
        _ link: (String, String) -> JSONValue
    ) -> JSONValue {
        var entries: [(at: Int, json: JSONValue)] = []
        for message in messages.values where message.folder == folder && message.changed > since {
            let isPartial = tellsOnlyReads && message.isOnlyRead && message.arrived <= since
            let json: JSONValue =
                isPartial
                ? ["id": .string(message.id), "isRead": .bool(message.isRead)]
                : Self.selected(json(message), query)
            entries.append((message.changed, json))
        }
        // What came and went since is not told.
        for one in gone
        where one.folder == folder && one.at > since && one.arrived <= since
            && messages[one.id]?.folder != folder
        {
            entries.append((one.at, ["id": .string(one.id), "@removed": ["reason": "deleted"]]))
        }
        entries.sort { $0.at < $1.at }
        let page = entries.prefix(size)
        var json: [String: JSONValue] = ["value": .array(page.map(\.json))]
        if page.count < entries.count, let last = page.last {
            json["@odata.nextLink"] = link("skiptoken", "\(last.at)")
        } else {
            json["@odata.deltaLink"] = link("deltatoken", "\(version)")
        }
        return .object(json)
    }
}
