import Compose
import MailKernelAPI
import MessageFormat

/// An identity as clients see it: with the signature for replies, which JMAP does not have.
struct IdentityRecord {
    private static let longestText = 100_000
    /// With a small image in it.
    private static let longestHTML = 300_000

    private(set) var identity: Identity
    /// HTML; nil if replies have the same signature as other messages.
    private(set) var replySignature: String?

    init(_ identity: Identity, _ replySignature: String?) {
        self.identity = identity
        self.replySignature = replySignature
    }

    var changes: [StorageChange] {
        [.putIdentity(identity), Signatures.change(replySignature, of: identity)]
    }

    var json: [String: JSONValue] {
        [
            "id": .string(identity.id.rawValue), "name": .string(identity.name),
            "email": .string(identity.email), "replyTo": identity.replyTo.jsonOrNull,
            "bcc": identity.bcc.jsonOrNull, "textSignature": .string(identity.textSignature),
            "htmlSignature": .string(identity.htmlSignature),
            "replySignature": replySignature.map { .string($0) } ?? .null,
            "mayDelete": .bool(identity.mayDelete),
        ]
    }

    func patched(_ patch: [String: JSONValue]) throws(SetError) -> IdentityRecord {
        var record = self
        let object = try Patch.apply(patch, to: json)
        for key in patch.keys.sorted() { try record.set(key, object[key] ?? .null) }
        return record
    }

    private mutating func set(_ key: String, _ value: JSONValue) throws(SetError) {
        switch key {
        case "name":
            let name = try Self.text(value, key, Self.longestText)
            guard name.utf8.count <= 255, !name.unicodeScalars.contains(where: \.isControl) else {
                throw .invalidProperty(key, "must be one line of at most 255 bytes")
            }
            identity.name = name
        case "textSignature": identity.textSignature = try Self.text(value, key, Self.longestText)
        case "htmlSignature": identity.htmlSignature = try Self.html(value, key)
        case "replySignature": replySignature = value == .null ? nil : try Self.html(value, key)
        case "replyTo": identity.replyTo = try Self.addresses(value, key)
        case "bcc": identity.bcc = try Self.addresses(value, key)
        default:
            guard json[key] == value else { throw .invalidProperty(key, "cannot be changed") }
        }
    }

    private static func text(_ value: JSONValue, _ key: String, _ limit: Int) throws(SetError) -> String {
        if value == .null { return "" }
        guard let text = value.stringValue, text.utf8.count <= limit else {
            throw .invalidProperty(key, "must be a string of at most \(limit / 1000),000 bytes")
        }
        return text
    }

    private static func html(_ value: JSONValue, _ key: String) throws(SetError) -> String {
        ComposedHTML(try text(value, key, longestHTML)).html
    }

    private static func addresses(_ value: JSONValue, _ key: String) throws(SetError) -> [EmailAddress] {
        guard value != .null else { return [] }
        guard let addresses = [EmailAddress](json: value) else {
            throw .invalidProperty(key, "must be an array of addresses, or null")
        }
        return addresses
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}

extension [EmailAddress] {
    /// Nil if it is not an array of EmailAddress objects.
    init?(json: JSONValue) {
        guard let array = json.arrayValue else { return nil }
        self = []
        for element in array {
            guard let object = element.objectValue, let email = object["email"]?.stringValue, !email.isEmpty
            else {
                return nil
            }
            let name = object["name"] ?? .null
            guard name == .null || name.stringValue != nil else { return nil }
            append(EmailAddress(name: name.stringValue, email: email))
        }
    }
}
