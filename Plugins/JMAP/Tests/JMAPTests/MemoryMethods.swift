import FoundationEssentials
import MailKernelAPI

/// The methods of a `MemoryService`.
extension MemoryMailbox {
    private struct Refusal: Error {
        let value: JSONValue

        init(_ type: String, _ more: [String: JSONValue] = [:]) {
            value = .object(more.merging(["type": .string(type)]) { own, _ in own })
        }
    }

    mutating func answer(_ request: JSONValue) -> JSONValue {
        var responses: [JSONValue] = []
        var created: [String: String] = [:]
        for call in request["methodCalls"]?.arrayValue ?? [] {
            guard let parts = call.arrayValue, parts.count == 3, let name = parts[0].stringValue,
                let id = parts[2].stringValue
            else { continue }
            do {
                let arguments = try resolve(parts[1].objectValue ?? [:], responses)
                responses.append([.string(name), try run(name, arguments, &created), .string(id)])
            } catch let error as Refusal {
                responses.append(["error", error.value, .string(id)])
            } catch {
                responses.append(["error", ["type": "serverFail"], .string(id)])
            }
        }
        return ["methodResponses": .array(responses), "sessionState": "0"]
    }

    private func resolve(
        _ arguments: [String: JSONValue], _ responses: [JSONValue]
    ) throws -> [String: JSONValue] {
        var arguments = arguments
        guard let reference = arguments.removeValue(forKey: "#ids") else { return arguments }
        let response = responses.first { $0.arrayValue?.last == reference["resultOf"] }?.arrayValue
        guard let value = response?[1], response?[0] == reference["name"],
            let path = reference["path"]?.stringValue
        else { throw Refusal("invalidResultReference") }
        let steps = path.split(separator: "/").map(String.init)
        guard let first = steps.first.flatMap({ value[$0] }) else { throw Refusal("invalidResultReference") }
        let each = steps.dropFirst(2).first
        arguments["ids"] =
            each.map { name in .array((first.arrayValue ?? []).compactMap { $0[name] }) } ?? first
        return arguments
    }

    private mutating func run(
        _ name: String, _ arguments: [String: JSONValue], _ created: inout [String: String]
    ) throws -> JSONValue {
        guard arguments["accountId"]?.stringValue == accountID else { throw Refusal("accountNotFound") }
        switch name {
        case "Mailbox/get":
            let all = mailboxes.values.filter { !missingRoles.contains($0["role"]?.stringValue ?? "") }
            return ["state": .string(mailboxStateText), "list": .array(all)]
        case "Mailbox/set": return setMailboxes(arguments)
        case "Email/get": return try get(arguments)
        case "Email/query": return try query(arguments)
        case "Email/changes": return try changes(arguments)
        case "Email/set": return set(arguments)
        case "Email/import": return importAll(arguments, &created)
        case "Identity/get":
            return [
                "list": [
                    ["id": "i1", "name": "Ada", "email": "ada@example.test"],
                    ["id": "i2", "name": "", "email": "*@example.test"],
                    ["id": "i3", "name": "Office", "email": "office@example.test"],
                ]
            ]
        case "EmailSubmission/set": return setSubmissions(arguments, created)
        case "EmailSubmission/query":
            let status = arguments["filter"]?["undoStatus"]
            return ["ids": .array(held.filter { $0.value["undoStatus"] == status }.keys.map { .string($0) })]
        case "EmailSubmission/get":
            return [
                "list": .array(
                    (arguments["ids"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { held[$0] } })
            ]
        case "VacationResponse/get": return ["list": .array([vacation ?? [:]])]
        case "VacationResponse/set": return setVacation(arguments)
        case "Quota/get": return ["list": .array(quotas ?? [])]
        case "SieveScript/get": return ["list": .array(scripts.values.sorted { "\($0)" < "\($1)" })]
        case "SieveScript/set": return setScripts(arguments)
        default: throw Refusal("unknownMethod")
        }
    }

    private func get(_ arguments: [String: JSONValue]) throws -> JSONValue {
        let ids = (arguments["ids"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard ids.count <= objectsInGet else { throw Refusal("requestTooLarge") }
        let properties = Set((arguments["properties"]?.arrayValue ?? []).compactMap(\.stringValue))
        let limit = arguments["maxBodyValueBytes"]?.intValue ?? .max
        // Services answer in any order.
        let found = ids.reversed().filter { !passedOver.contains($0) }.compactMap { messages[$0] }
        return [
            "state": .string("\(emailState)"),
            "list": .array(found.map { json($0, properties, textLimit: limit) }),
            "notFound": .array(ids.filter { messages[$0] == nil }.map { .string($0) }),
        ]
    }

    private func query(_ arguments: [String: JSONValue]) throws -> JSONValue {
        let filter = arguments["filter"] ?? [:]
        let all = messages.values.filter { Self.matches($0, filter) }
            .sorted { ($0.receivedAt, $0.number) > ($1.receivedAt, $1.number) }
        var start = 0
        if let anchor = arguments["anchor"]?.stringValue, !ignoresAnchors {
            guard let index = all.firstIndex(where: { $0.id == anchor }) else {
                throw Refusal("anchorNotFound")
            }
            start = index + (arguments["anchorOffset"]?.intValue ?? 0)
        }
        let page = all.dropFirst(start).prefix(arguments["limit"]?.intValue ?? .max)
        var result: [String: JSONValue] = ["ids": .array(page.map { .string($0.id) })]
        if arguments["calculateTotal"] == true { result["total"] = .number(Double(all.count)) }
        return .object(result)
    }

    private static func matches(_ message: Message, _ filter: JSONValue) -> Bool {
        if let name = filter["operator"]?.stringValue {
            let results = (filter["conditions"]?.arrayValue ?? []).map { matches(message, $0) }
            switch name {
            case "AND": return results.allSatisfy { $0 }
            case "OR": return results.contains(true)
            default: return !results.contains(true)
            }
        }
        return (filter.objectValue ?? [:]).allSatisfy { name, value in
            let date = value.stringValue.flatMap { try? Date($0, strategy: .iso8601) } ?? .distantPast
            switch name {
            case "inMailbox": return message.mailboxes.contains(value.stringValue ?? "")
            case "before": return message.receivedAt < date
            case "after": return message.receivedAt >= date
            case "subject":
                let words = field("Subject", message.bytes).split(separator: " ").map(String.init)
                return words.contains { $0.hasPrefix(value.stringValue ?? "") && $0 == value.stringValue }
            case "header":
                let parts = (value.arrayValue ?? []).compactMap(\.stringValue)
                return field(parts.first ?? "", message.bytes).contains(parts.last ?? "")
            default: return false
            }
        }
    }

    private func changes(_ arguments: [String: JSONValue]) throws -> JSONValue {
        guard let since = arguments["sinceState"]?.stringValue.flatMap({ Int($0) }), since >= oldestState,
            since <= emailState
        else { throw Refusal("cannotCalculateChanges") }
        let most = arguments["maxChanges"]?.intValue ?? .max
        let changed = messages.values.filter { $0.changed > since }.sorted { $0.changed < $1.changed }
        let part = changed.prefix(most)
        let hasMore = part.count < changed.count
        func ids(_ messages: some Sequence<Message>) -> JSONValue { .array(messages.map { .string($0.id) }) }
        return [
            "created": ids(part.filter { $0.created > since }),
            "updated": ids(part.filter { $0.created <= since }),
            "destroyed": .array(hasMore ? [] : goneSince(since).map { .string($0) }),
            "hasMoreChanges": .bool(hasMore),
            "newState": .string("\(hasMore ? part.last?.changed ?? emailState : emailState)"),
        ]
    }

    private mutating func set(_ arguments: [String: JSONValue]) -> JSONValue {
        var (notUpdated, notDestroyed): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
        for (id, patch) in arguments["update"]?.objectValue ?? [:] {
            if let refusal = update(id, patch.objectValue ?? [:]) { notUpdated[id] = refusal }
        }
        for id in (arguments["destroy"]?.arrayValue ?? []).compactMap(\.stringValue) where !remove(id) {
            notDestroyed[id] = ["type": "notFound"]
        }
        return ["notUpdated": .object(notUpdated), "notDestroyed": .object(notDestroyed)]
    }

    mutating func update(_ id: String, _ patch: [String: JSONValue]) -> JSONValue? {
        guard var new = messages[id] else { return ["type": "notFound"] }
        for (path, value) in patch {
            let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return ["type": "invalidPatch"] }
            if parts[0] == "keywords" {
                if value == true { new.keywords.insert(parts[1]) } else { new.keywords.remove(parts[1]) }
            } else if value == true {
                guard mailboxes[parts[1]] != nil else {
                    return ["type": "invalidProperties", "properties": ["mailboxIds"]]
                }
                new.mailboxes.insert(parts[1])
            } else {
                new.mailboxes.remove(parts[1])
            }
        }
        guard !new.mailboxes.isEmpty else { return ["type": "invalidProperties"] }
        change(id) { ($0.mailboxes, $0.keywords) = (new.mailboxes, new.keywords) }
        return nil
    }

    private mutating func importAll(
        _ arguments: [String: JSONValue], _ ids: inout [String: String]
    ) -> JSONValue {
        var (created, notCreated): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
        for (key, email) in arguments["emails"]?.objectValue ?? [:] {
            let boxes = Set((email["mailboxIds"]?.objectValue ?? [:]).keys)
            guard let bytes = blobs[email["blobId"]?.stringValue ?? ""],
                boxes.allSatisfy({ mailboxes[$0] != nil })
            else {
                notCreated[key] = ["type": "invalidProperties", "description": "This cannot be imported."]
                continue
            }
            if refusesKnownBytes, let known = messages.values.first(where: { $0.bytes == bytes }) {
                notCreated[key] = ["type": "alreadyExists", "existingId": .string(known.id)]
                continue
            }
            let date = email["receivedAt"]?.stringValue.flatMap { try? Date($0, strategy: .iso8601) }
            let id = add(
                bytes, to: boxes, keywords: Set((email["keywords"]?.objectValue ?? [:]).keys),
                receivedAt: date ?? Date(timeIntervalSince1970: 0))
            ids[key] = id
            created[key] = ["id": .string(id)]
        }
        return ["created": .object(created), "notCreated": .object(notCreated)]
    }

    private mutating func setMailboxes(_ arguments: [String: JSONValue]) -> JSONValue {
        var result: [String: JSONValue] = [:]
        for (key, value) in arguments["create"]?.objectValue ?? [:] {
            if let parent = value["parentId"]?.stringValue, mailboxes[parent] == nil {
                result["notCreated"] = .object([
                    key: ["type": "invalidProperties", "properties": ["parentId"]]
                ])
                continue
            }
            let id = next("m")
            setMailbox(
                id,
                Self.newMailbox(
                    id, name: value["name"]?.stringValue ?? "", parent: value["parentId"] ?? .null))
            result["created"] = [key: ["id": .string(id)]]
        }
        for (id, value) in arguments["update"]?.objectValue ?? [:] {
            guard mailboxes[id] != nil else {
                result["notUpdated"] = .object([id: ["type": "notFound"]])
                continue
            }
            setMailbox(
                id,
                Self.newMailbox(
                    id, name: value["name"]?.stringValue ?? "", parent: value["parentId"] ?? .null))
        }
        for id in (arguments["destroy"]?.arrayValue ?? []).compactMap(\.stringValue) {
            guard mailboxes[id] != nil else {
                result["notDestroyed"] = .object([id: ["type": "notFound"]])
                continue
            }
            for message in messages.values where message.mailboxes.contains(id) {
                if message.mailboxes.count == 1 {
                    _ = remove(message.id)
                } else {
                    change(message.id) { $0.mailboxes.remove(id) }
                }
            }
            setMailbox(id, nil)
        }
        return .object(result)
    }

    private mutating func setScripts(_ arguments: [String: JSONValue]) -> JSONValue {
        for value in arguments["create"]?.objectValue?.values.map({ $0 }) ?? [] {
            let id = next("s")
            scripts[id] = [
                "id": .string(id), "name": value["name"] ?? "", "blobId": value["blobId"] ?? "",
                "isActive": false,
            ]
        }
        for (id, value) in arguments["update"]?.objectValue ?? [:] {
            var script = scripts[id]?.objectValue ?? [:]
            script["blobId"] = value["blobId"]
            scripts[id] = .object(script)
        }
        for id in (arguments["destroy"]?.arrayValue ?? []).compactMap(\.stringValue) {
            if scripts[id]?["isActive"] == true {
                return [
                    "notDestroyed": .object([id: ["type": "sieveIsActive", "description": "It is active."]])
                ]
            }
            scripts[id] = nil
        }
        let active = arguments["onSuccessActivateScript"]?.stringValue
        if active != nil || arguments["onSuccessDeactivateScript"] == true {
            for (id, value) in scripts {
                var script = value.objectValue ?? [:]
                script["isActive"] = .bool(id == active)
                scripts[id] = .object(script)
            }
        }
        return [:]
    }
}
