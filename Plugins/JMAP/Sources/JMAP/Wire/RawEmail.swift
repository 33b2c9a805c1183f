import FoundationEssentials
import MailKernelAPI
import WebCalls

/// An `Email` object as far as it was asked for (RFC 8621, section 4).
struct RawEmail: Sendable, Decodable {
    struct Header: Sendable, Decodable {
        let name: String
        let value: String
    }

    struct Part: Sendable, Decodable {
        let partId: String?
        let blobId: String?
        let size: Int?
        let name: String?
        let type: String?
        let charset: String?
        let disposition: String?
        let cid: String?
        let language: [String]?
        let location: String?
        let subParts: [Part]?
    }

    struct Value: Sendable, Decodable {
        let value: String
        let isEncodingProblem: Bool?
        let isTruncated: Bool?
    }

    let id: String
    let blobId: String?
    let mailboxIds: [String: Bool]?
    let keywords: [String: Bool]?
    let receivedAt: String?
    let size: Int?
    let headers: [Header]?
    let bodyStructure: Part?
    let bodyValues: [String: Value]?
    let messageId: [String]?

    /// What a list of changes needs.
    static let state: JSONValue = ["id", "mailboxIds", "keywords", "receivedAt"]
    static let whole: JSONValue = [
        "id", "mailboxIds", "keywords", "receivedAt", "size", "headers", "bodyStructure", "bodyValues",
    ]
    static let bodyProperties: JSONValue = [
        "partId", "size", "name", "type", "charset", "disposition", "cid", "language", "location", "subParts",
    ]

    var remoteID: RemoteMessageID? {
        let remote = RemoteMessageID(id)
        return remote.isValid ? remote : nil
    }

    var date: Date? { receivedAt.flatMap { JSONDate.read($0) } }

    var remoteKeywords: Set<Keyword> {
        Set((keywords ?? [:]).filter(\.value).keys.map { Keyword($0) })
    }

    var remoteMailboxIDs: Set<RemoteMailboxID> {
        Set((mailboxIds ?? [:]).filter(\.value).keys.map { RemoteMailboxID($0) }.filter(\.isValid))
    }

    var update: RemoteUpdate? {
        guard let remoteID, keywords != nil, mailboxIds != nil else { return nil }
        return RemoteUpdate(id: remoteID, keywords: remoteKeywords, mailboxIDs: remoteMailboxIDs)
    }

    /// Nil if the service left out what a message must have.
    var message: RemoteMessage? {
        guard let remoteID, let date, let size, size > 0, let headers, let bodyStructure,
            let structure = bodyStructure.part(depth: 0)
        else { return nil }
        let values = (bodyValues ?? [:]).mapValues { value in
            EmailBodyValue(
                value.value, isEncodingProblem: value.isEncodingProblem ?? false,
                isTruncated: value.isTruncated ?? false)
        }
        let fields = headers.map { HeaderField(name: $0.name, value: $0.value) }
        return RemoteMessage(
            id: remoteID, mailboxIDs: remoteMailboxIDs, keywords: remoteKeywords, receivedAt: date,
            size: size,
            content: .parsed(EmailBody(headers: fields, structure: structure, values: values)))
    }
}

extension RawEmail.Part {
    fileprivate func part(depth: Int) -> EmailBodyPart? {
        guard depth < SyncLimits.partDepth else { return nil }
        let type = (type ?? "application/octet-stream").lowercased()
        let isMultipart = type.hasPrefix("multipart/")
        guard isMultipart || partId?.isEmpty == false else { return nil }
        var inner: [EmailBodyPart] = []
        for sub in isMultipart ? subParts ?? [] : [] {
            guard let part = sub.part(depth: depth + 1) else { return nil }
            inner.append(part)
        }
        return EmailBodyPart(
            partID: isMultipart ? nil : partId, size: max(0, size ?? 0), name: name, type: type,
            charset: charset, disposition: disposition?.lowercased(), cid: cid, language: language ?? [],
            location: location, subParts: inner)
    }

    /// The blob of the part of this id.
    func blob(ofPart id: String) -> String? {
        if partId == id { return blobId }
        return (subParts ?? []).lazy.compactMap { $0.blob(ofPart: id) }.first
    }
}
