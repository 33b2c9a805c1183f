import FoundationEssentials
import Mail
import MailKernelAPI

/// One of the pieces that a new blob is made of: a DataSourceObject (RFC 9404, section 4.1).
enum BlobSource {
    case bytes(Data)
    case blob(id: String, offset: Int, length: Int?)

    init(_ value: JSONValue) throws(SetError) {
        guard let object = value.objectValue else {
            throw .invalidProperty("data", "must contain objects")
        }
        var piece = Arguments(object)
        do throws(MethodError) {
            let text = try piece.string("data:asText")
            let base64 = try piece.string("data:asBase64")
            let blobID = try piece.string("blobId")
            let offset = try piece.unsignedInt("offset")
            let length = try piece.unsignedInt("length")
            try piece.finish()
            switch (text, base64, blobID) {
            case (let text?, nil, nil) where offset == nil && length == nil:
                self = .bytes(Data(text.utf8))
            case (nil, let base64?, nil) where offset == nil && length == nil:
                // White space and other foreign characters are refused (RFC 9404, section 4.1).
                guard let data = Data(base64Encoded: base64) else {
                    throw .invalidArguments("data:asBase64", "is not Base64")
                }
                self = .bytes(data)
            case (nil, nil, let id?):
                self = .blob(id: id, offset: offset ?? 0, length: length)
            default:
                throw .invalidArguments(
                    "data",
                    "must contain objects with one of data:asText, data:asBase64 and blobId; offset and length "
                        + "belong to blobId")
            }
        } catch {
            throw SetError("invalidProperties", error.description, properties: ["data"])
        }
    }

    /// The creation that it refers to.
    var creationID: String? {
        guard case .blob(let id, _, _) = self, id.hasPrefix("#") else { return nil }
        return ExactName.of(String(id.dropFirst()))
    }
}

/// A new blob, as a client describes it.
struct NewBlob {
    let creationID: String
    let type: String
    let sources: [BlobSource]

    init(_ creationID: String, _ value: JSONValue) throws(SetError) {
        self.creationID = creationID
        guard let object = value.objectValue else {
            throw SetError("invalidProperties", "It must be an object.")
        }
        if let unknown = object.keys.sorted().first(where: { !["data", "type"].contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let pieces = object["data"]?.arrayValue else {
            throw .invalidProperty("data", "must be an array")
        }
        guard pieces.count <= BlobMethods.maxDataSources else {
            throw .invalidProperty("data", "can have at most \(BlobMethods.maxDataSources) objects")
        }
        var sources: [BlobSource] = []
        for piece in pieces { sources.append(try BlobSource(piece)) }
        self.sources = sources
        switch object["type"] ?? .null {
        case .null: type = "application/octet-stream"
        case .string(let text) where Self.isType(text): type = text
        case .string, .bool, .number, .array, .object:
            throw .invalidProperty("type", "must be a media type")
        }
    }

    /// Visible ASCII with spaces, as in a header.
    private static func isType(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.contains("/")
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
