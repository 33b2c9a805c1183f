import MailKernelAPI

/// The id of a blob, which encodes its kind: a whole email, an upload, or a part of either. A part that is a message has
/// parts itself.
package struct BlobID: Hashable, Sendable {
    /// Nested messages deeper than this have no blobs.
    package static let maxDepth = 16

    package var container: Id<Blob>
    /// Nil for the whole.
    package var part: String?

    package init(_ container: Id<Blob>, part: String?) {
        self.container = container
        self.part = part
    }

    package init(email: Id<Email>, part: String? = nil) {
        self.init(Id("B" + email.rawValue), part: part)
    }

    package init(_ id: Id<Blob>) {
        guard let end = id.rawValue.lastIndex(of: "_") else {
            self.init(id, part: nil)
            return
        }
        let part = id.rawValue[end...].dropFirst().replacing("-", with: ".")
        self.init(Id(String(id.rawValue[..<end])), part: String(part))
    }

    package var id: Id<Blob> {
        Id(container.rawValue + (part.map { "_" + $0.replacing(".", with: "-") } ?? ""))
    }

    /// The email whose message the container is, if it is one.
    package var email: Id<Email>? {
        guard container.rawValue.first == "B", !isNested else { return nil }
        return Id(String(container.rawValue.dropFirst()))
    }

    /// The container is itself part of a message.
    package var isNested: Bool { depth > 1 }

    package var depth: Int {
        (part == nil ? 0 : 1) + container.rawValue.utf8.count { $0 == UInt8(ascii: "_") }
    }
}
