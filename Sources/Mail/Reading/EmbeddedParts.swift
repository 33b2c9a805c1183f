import FoundationEssentials
import MailKernelAPI

/// What the pages of a message can show of its own parts: by Content-ID, or by Content-Location (RFC 2557).
struct EmbeddedParts: Sendable {
    private var byID: [String: EmailBodyPart] = [:]
    private var byLocation: [String: EmailBodyPart] = [:]
    /// What addresses in a page are relative to, by the page's part id.
    private var bases: [String: URL] = [:]

    /// Resolving takes as long as an address and its base are.
    private static let longestLocation = 1000

    /// Looked up once: a message may have thousands of parts.
    init(of body: EmailBody) {
        note(body.structure, in: URL(string: "thismessage:/"))
    }

    private mutating func note(_ part: EmailBodyPart, in base: URL?) {
        if let id = part.cid, byID[id] == nil { byID[id] = part }
        let location = part.location.flatMap { Self.resolved($0, in: base) }
        if part.type == "text/html", let id = part.partID {
            bases[id] = location ?? base
        } else if let key = location?.absoluteString, part.blobID != nil, byLocation[key] == nil {
            byLocation[key] = part
        }
        for child in part.subParts { note(child, in: location ?? base) }
    }

    func part(id: String) -> EmailBodyPart? { byID[id] }

    var hasLocations: Bool { !byLocation.isEmpty }

    /// The part at an address that stands in a page.
    func part(at address: String, in page: EmailBodyPart) -> EmailBodyPart? {
        guard !address.isEmpty else { return nil }
        let base = page.partID.flatMap { bases[$0] }
        return Self.resolved(address, in: base).flatMap { byLocation[$0.absoluteString] }
    }

    private static func resolved(_ address: String, in base: URL?) -> URL? {
        guard address.utf8.count <= longestLocation else { return nil }
        return URL(string: address, relativeTo: base)?.absoluteURL
    }
}
