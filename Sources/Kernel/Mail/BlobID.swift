public import MailKernelAPI

/// The id of a blob, which encodes its kind: a whole email, an upload, or a part of either.
public struct BlobID: Hashable, Sendable {
    public var container: Id<Blob>
    /// Nil for the whole.
    public var part: String?

    public init(_ container: Id<Blob>, part: String?) {
        self.container = container
        self.part = part
    }

    init(email: Id<Email>, part: String? = nil) {
        self.init(Id("B" + email.rawValue), part: part)
    }

    public init(_ id: Id<Blob>) {
        let pieces = id.rawValue.split(separator: "_", maxSplits: 1)
        container = Id(String(pieces.first ?? ""))
        part = pieces.count > 1 ? String(pieces[1]).replacing("-", with: ".") : nil
    }

    public var id: Id<Blob> {
        Id(container.rawValue + (part.map { "_" + $0.replacing(".", with: "-") } ?? ""))
    }

    /// The email whose message the container is, if it is one.
    var email: Id<Email>? {
        container.rawValue.first == "B" ? Id(String(container.rawValue.dropFirst())) : nil
    }
}
