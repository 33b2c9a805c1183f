import FoundationEssentials
import MailKernelAPI

/// What the server does with single messages.
extension GraphMailbox {
    mutating func make(_ call: GraphCall, in folder: String) -> GraphAnswer {
        guard call.body.count <= 4 * 1_024 * 1_024 else {
            return .error(413, "RequestEntityTooLarge", "Maximum request length exceeded.")
        }
        guard call.headers["Content-Type"] == "text/plain", let bytes = Data(base64Encoded: call.body),
            !bytes.isEmpty
        else {
            return .error(
                400, "ErrorMimeContentInvalidBase64String", "Invalid base64 string for MIME content.")
        }
        // Microsoft makes drafts only, and dates them itself.
        let bcc = Self.addresses(Self.field("Bcc", bytes))
        let id = add(bytes, to: folder, received: Date(timeIntervalSince1970: 1_800_000_000)) { message in
            (message.isDraft, message.isRead, message.bcc) = (true, true, bcc)
        }
        return messages[id].map { GraphAnswer(status: 201, json: json($0)) } ?? .notFound
    }

    mutating func messageAnswer(_ call: GraphCall, _ id: String, _ path: [String]) -> GraphAnswer {
        guard id.hasPrefix("AAkALgAA_m") else { return .malformed }
        guard let message = messages[id] else { return .notFound }
        switch (call.method, path.first) {
        case ("GET", nil): return GraphAnswer(json: Self.selected(json(message), call.query))
        case ("GET", "$value"): return GraphAnswer(bytes: message.bytes)
        case ("PATCH", nil): return patch(call.json ?? .null, id)
        case ("POST", "move"), ("POST", "copy"):
            let target = folderID(call.json?["destinationId"]?.stringValue ?? "")
            guard target.hasPrefix("AAMk-") else { return .malformed }
            guard folders[target] != nil else { return .notFound }
            var result = id
            if path[0] == "copy" {
                result = add(message.bytes, to: target, received: message.received) { copy in
                    (copy.isRead, copy.isFlagged, copy.categories) = (
                        message.isRead, message.isFlagged, message.categories
                    )
                }
            } else {
                move(id, to: target)
            }
            return messages[result].map { GraphAnswer(status: 201, json: json($0)) } ?? .notFound
        case ("POST", "permanentDelete"):
            remove(id)
            return GraphAnswer(status: 204)
        case ("POST", "send"): return send(message)
        case ("POST", "attachments"): return attach(call, message, isSession: path.count == 2)
        case ("GET", "attachments") where path.count == 3: return attachment(path[1], message)
        default: return .error(400, "BadRequest", "Resource not found for the segment.")
        }
    }

    private mutating func patch(_ json: JSONValue, _ id: String) -> GraphAnswer {
        let isOnlyRead = json.objectValue.map { Array($0.keys) } == ["isRead"]
        change(id, onlyRead: isOnlyRead) { message in
            if let isRead = json["isRead"]?.boolValue { message.isRead = isRead }
            if let flag = json["flag"]?["flagStatus"]?.stringValue { message.isFlagged = flag == "flagged" }
            if let importance = json["importance"]?.stringValue { message.importance = importance }
            if let categories = json["categories"]?.arrayValue {
                message.categories = categories.compactMap(\.stringValue)
            }
            if let bcc = json["bccRecipients"]?.arrayValue {
                message.bcc = bcc.compactMap { $0["emailAddress"]?["address"]?.stringValue }
            }
            for property in json["singleValueExtendedProperties"]?.arrayValue ?? [] {
                let value = property["value"]?.stringValue ?? ""
                switch property["id"]?.stringValue {
                case "Integer 0x1081": message.verb = Int(value).flatMap { $0 == 0 ? nil : $0 }
                case "Integer 0x0E07": message.isDraft = value != "1"
                case "SystemTime 0x0E06":
                    message.received = (try? Date(value, strategy: .iso8601)) ?? message.received
                default: break
                }
            }
        }
        return messages[id].map { GraphAnswer(json: self.json($0)) } ?? .notFound
    }

    // MARK: Sending

    private mutating func send(_ message: Message) -> GraphAnswer {
        guard message.isDraft else { return .notFound }
        let to =
            Self.addresses(Self.field("To", message.bytes)) + Self.addresses(Self.field("Cc", message.bytes))
            + message.bcc
        guard !to.isEmpty else {
            return .error(400, "ErrorInvalidRecipients", "At least one recipient is not valid.")
        }
        sentCount += 1
        change(message.id) { sent in (sent.isDraft, sent.isRead) = (false, true) }
        move(message.id, to: Self.folderID(holdsSent ? "outbox" : "sentitems"))
        if to.contains(Self.address) {
            add(message.bytes, to: Self.folderID("inbox"), received: message.received)
        }
        return GraphAnswer(status: 202)
    }

    // MARK: Attachments

    private mutating func attach(_ call: GraphCall, _ message: Message, isSession: Bool) -> GraphAnswer {
        let item = (isSession ? call.json?["AttachmentItem"] : call.json) ?? .null
        guard isSession else {
            guard call.body.count <= 4 * 1_024 * 1_024 + 4_096 else {
                return .error(413, "RequestEntityTooLarge", "Maximum request length exceeded.")
            }
            return addAttachment(
                item, Data(base64Encoded: item["contentBytes"]?.stringValue ?? "") ?? Data(), message.id)
        }
        guard (item["size"]?.intValue ?? 0) >= 3 * 1_024 * 1_024 else {
            return .error(
                400, "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize", "The attachment is too small.")
        }
        let id = next("session")
        uploads[id] = Upload(message: message.id, item: item)
        let url = "https://\(GraphServer.uploadHost)/api/v2.0/AttachmentSessions/\(id)?authtoken=secret"
        return GraphAnswer(status: 201, json: ["uploadUrl": .string(url), "nextExpectedRanges": ["0-"]])
    }

    private mutating func addAttachment(_ item: JSONValue, _ bytes: Data, _ id: String) -> GraphAnswer {
        let attachment: JSONValue = [
            "@odata.type": "#microsoft.graph.fileAttachment", "id": .string(next("AAtt")),
            "name": item["name"] ?? .null, "contentType": item["contentType"] ?? .null,
            "size": .number(Double(bytes.count)), "isInline": item["isInline"] ?? false,
            "contentId": item["contentId"] ?? .null, "contentBytes": .string(bytes.base64EncodedString()),
        ]
        change(id) { $0.attachments.append(attachment) }
        return GraphAnswer(status: 201, json: attachment)
    }

    mutating func upload(_ bytes: Data, _ range: String, _ id: String) -> HTTPResponse {
        guard var upload = uploads[id], let size = upload.item["size"]?.intValue,
            range == "bytes \(upload.bytes.count)-\(upload.bytes.count + bytes.count - 1)/\(size)"
        else { return GraphAnswer.error(400, "ErrorInvalidRange", "The range is not expected.").response }
        upload.bytes += bytes
        uploads[id] = upload
        guard upload.bytes.count == size else {
            return GraphAnswer(json: ["nextExpectedRanges": [.string("\(upload.bytes.count)")]]).response
        }
        uploads[id] = nil
        let made = addAttachment(upload.item, upload.bytes, upload.message)
        return HTTPResponse(
            status: made.status, headers: ["location": "https://x/Attachments('1')"], body: Data())
    }

    private func attachment(_ id: String, _ message: Message) -> GraphAnswer {
        guard let found = message.attachments.first(where: { $0["id"]?.stringValue == id }),
            let bytes = Data(base64Encoded: found["contentBytes"]?.stringValue ?? "")
        else { return id.hasPrefix("AAtt") ? .notFound : .malformed }
        return GraphAnswer(bytes: bytes)
    }
}
