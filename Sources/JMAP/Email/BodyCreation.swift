import FoundationEssentials
import Kernel
import MailKernelAPI
import MessageFormat

/// The body of an email that a client creates: its parts, out of texts and blobs.
struct BodyCreation {
    private static let maxDepth = 20

    let context: RequestContext
    let account: Account
    let values: [String: String]
    /// Blobs that are not there. Others are looked for nevertheless, so that all of them can be named.
    private var missing: [String] = []

    init(context: RequestContext, account: Account, values: [String: String]) {
        self.context = context
        self.account = account
        self.values = values
    }

    /// Rejects the email if a blob was missing.
    func finish() throws(SetError) {
        guard !missing.isEmpty else { return }
        let named = missing.count == 1 ? "“\(missing[0].prefix(80))”" : "for \(missing.count) of the ids"
        throw SetError(
            "blobNotFound", "There is no blob \(named).",
            details: ["notFound": .array(missing.map { .string($0) })])
    }

    /// The text of `textBody` or `htmlBody`, which hold one part if they are given.
    mutating func only(_ value: JSONValue?, _ name: String, type: String) async throws(SetError) -> String? {
        guard let value, value != .null else { return nil }
        guard let list = value.arrayValue, list.count == 1, let object = list[0].objectValue else {
            throw .invalidProperty(name, "must contain exactly one part")
        }
        guard object["type"]?.stringValue?.lowercased() ?? type == type else {
            throw .invalidProperty(name, "must be of the type \(type)")
        }
        var typed = object
        typed["type"] = .string(type)
        switch try await part(.object(typed), at: name).content {
        case .text(let text): return text
        case .bytes(let source):
            let bytes = try await SetError.wrapping { try await source.data(limit: 10_000_000) }
            guard let text = ForeignText.read(bytes, charset: object["charset"]?.stringValue) else {
                throw .invalidProperty(
                    name,
                    "refers to a blob that is not valid text in its “charset”, or in UTF-8 if it has none")
            }
            return text
        case .parts: throw .invalidProperty(name, "must contain a text")
        }
    }

    mutating func part(_ value: JSONValue, at path: String, depth: Int = 0) async throws(SetError)
        -> DraftPart
    {
        guard let object = value.objectValue, depth < Self.maxDepth else {
            throw .invalidProperty(path, "must contain parts, not nested too deeply")
        }
        func text(_ key: String) throws(SetError) -> String? {
            guard let value = object[key], value != .null else { return nil }
            guard let text = value.stringValue else {
                throw .invalidProperty("\(path)/\(key)", "must be a string")
            }
            return text
        }
        let type = try text("type")?.lowercased() ?? "text/plain"
        let content = try await content(object, type, path, depth)
        var part = DraftPart(
            type: type, content, charset: try text("charset"), name: try text("name"),
            disposition: try text("disposition"), cid: try text("cid"),
            language: try Self.language(object["language"], path),
            location: try text("location"))
        part.headers = try Self.headers(object, path)
        return part
    }

    private static func language(_ value: JSONValue?, _ path: String) throws(SetError) -> [String] {
        guard let value, value != .null else { return [] }
        let languages = (value.arrayValue ?? []).compactMap(\.stringValue)
        guard let array = value.arrayValue, languages.count == array.count else {
            throw .invalidProperty("\(path)/language", "must be an array of strings")
        }
        return languages
    }

    /// The fields of the part that are given as such. None may be given twice, be it as a property.
    private static func headers(
        _ object: [String: JSONValue], _ path: String
    ) throws(SetError) -> [DraftHeader] {
        var headers: [DraftHeader] = []
        var set: Set<String> = []
        for (property, fields) in Self.fields where object[property] ?? .null != .null {
            set.formUnion(fields)
        }
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where !Self.known.contains(key) {
            guard key.hasPrefix("header:"), let field = HeaderProperty(key)?.field.lowercased(),
                field != "content-transfer-encoding"
            else { throw .invalidProperty("\(path)/\(ExactName.restored(key))", "cannot be set") }
            guard value != .null else { continue }
            guard set.insert(field).inserted else {
                throw .invalidProperty("\(path)/\(key)", "sets a header field that is already set")
            }
            headers += try HeaderSetting.fields(key, value)
        }
        return headers
    }

    private static let fields = [
        "type": ["content-type"], "charset": ["content-type"],
        "name": ["content-type", "content-disposition"], "disposition": ["content-disposition"],
        "cid": ["content-id"], "language": ["content-language"], "location": ["content-location"],
    ]

    private mutating func content(
        _ object: [String: JSONValue], _ type: String, _ path: String, _ depth: Int
    ) async throws(SetError) -> DraftPart.Content {
        if type.hasPrefix("multipart/") {
            for key in ["partId", "blobId"] where object[key] ?? .null != .null {
                throw .invalidProperty("\(path)/\(key)", "must not be given of a part that holds parts")
            }
            var parts: [DraftPart] = []
            for value in object["subParts"]?.arrayValue ?? [] {
                parts.append(try await part(value, at: "\(path)/subParts", depth: depth + 1))
            }
            guard !parts.isEmpty else { throw .invalidProperty("\(path)/subParts", "is missing") }
            return .parts(parts)
        }
        guard object["subParts"] ?? .null == .null else {
            throw .invalidProperty("\(path)/subParts", "are for a multipart type")
        }
        switch (object["partId"]?.stringValue, object["blobId"]?.stringValue) {
        case (let partID?, nil):
            guard object["charset"] ?? .null == .null, object["size"] ?? .null == .null else {
                throw .invalidProperty(path, "must not have “charset” or “size” beside “partId”")
            }
            guard let text = values[ExactName.of(partID)] else {
                throw .invalidProperty("bodyValues", "has nothing for the part “\(partID)”")
            }
            guard type.hasPrefix("text/") else {
                throw .invalidProperty("\(path)/type", "must be a text type")
            }
            return .text(text)
        case (nil, let blobID?):
            return .bytes(try await blob(blobID))
        default: throw .invalidProperty(path, "needs either “partId” or “blobId”")
        }
    }

    private mutating func blob(_ id: String) async throws(SetError) -> any ByteSource {
        let (blobs, accountID) = (context.kernel.blobs, account.id)
        let resolved = Id<Blob>(context.resolved(id) ?? id)
        do {
            return try await SetError.wrapping { try await blobs.content(resolved, in: accountID).bytes }
        } catch {
            guard error.type == "blobNotFound" else { throw error }
            if !missing.contains(id) { missing.append(id) }
            return DataSource(Data())
        }
    }

    private static let known: Set<String> = [
        "partId", "blobId", "size", "name", "type", "charset", "disposition", "cid", "language", "location",
        "subParts",
    ]
}
