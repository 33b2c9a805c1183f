import FoundationEssentials
import MailKernelAPI
import Network
import Store
import Synchronization

/// Fetches the images that a message has on other servers, once the user asked for them.
///
/// The browser never does: it would send its cookies and what it is. From here the sender learns that the
/// message was opened, and this machine's network address; and the ledger has every connection.
package final class RemoteImages: Sendable {
    /// Images are identified by ids created in this run, so that a page cannot make us fetch arbitrary URLs.
    private static let prefix: Character = "R"
    private static let imageLimit = 10_000_000
    private static let cacheLimit = 40_000_000
    private static let nameLimit = 5000

    private struct Known {
        var url: URL
        var image: Image?
    }

    struct Image: Sendable {
        var type: String
        var data: Data
    }

    private let network: (any PluginNetwork)?
    private let ids: IDMaker
    private let memory = Mutex(Memory())

    private struct Memory {
        var known: [Id<Blob>: Known] = [:]
        var names: [URL: Id<Blob>] = [:]
        /// Oldest first.
        var order: [Id<Blob>] = []
        var cached: [Id<Blob>] = []
        var cachedBytes = 0

        mutating func add(_ id: Id<Blob>, _ url: URL) {
            names[url] = id
            known[id] = Known(url: url)
            order.append(id)
            if order.count > RemoteImages.nameLimit { forget(order.removeFirst()) }
        }

        mutating func keep(_ image: Image, _ id: Id<Blob>) {
            guard let entry = known[id], entry.image == nil else { return }
            known[id]?.image = image
            cached.append(id)
            cachedBytes += image.data.count
            while cachedBytes > RemoteImages.cacheLimit, cached.count > 1 { drop(cached.removeFirst()) }
        }

        private mutating func drop(_ id: Id<Blob>) {
            cachedBytes -= known[id]?.image?.data.count ?? 0
            known[id]?.image = nil
        }

        private mutating func forget(_ id: Id<Blob>) {
            if let index = cached.firstIndex(of: id) {
                cached.remove(at: index)
                drop(id)
            }
            if let url = known.removeValue(forKey: id)?.url { names[url] = nil }
        }
    }

    package init(network: (any PluginNetwork)?, ids: IDMaker) {
        self.network = network
        self.ids = ids
    }

    static func isOne(_ id: Id<Blob>) -> Bool { id.rawValue.first == prefix }

    /// Whether images can be fetched at all.
    var isPossible: Bool { network != nil }

    /// The name under which an image can be had as a blob; nil for addresses that no image may have.
    func name(of address: String) -> Id<Blob>? {
        guard let url = Self.url(address) else { return nil }
        return memory.withLock { memory in
            if let id = memory.names[url] { return id }
            let id: Id<Blob> = ids.next(Self.prefix)
            memory.add(id, url)
            return id
        }
    }

    /// Public servers over HTTPS alone: mail must not make this program ask a router or a printer. What the name
    /// turns out to lead to is checked by the network that this was given.
    package static func url(_ address: String) -> URL? {
        guard address.utf8.count <= 8192, let url = URL(string: address), url.scheme?.lowercased() == "https",
            url.user == nil, url.password == nil, let host = url.host?.lowercased()
        else { return nil }
        // An address in numbers is no server that sends newsletters.
        guard PublicAddress.mayBeName(host),
            host.split(separator: ".").last?.contains(where: \.isLetter) ?? false,
            !host.contains(":")
        else { return nil }
        return url
    }

    /// - Throws: `BlobError.notFound` for an unknown or expired id, and for content that is not an image; the
    ///   network's error if it cannot be fetched.
    func image(_ id: Id<Blob>) async throws -> Image {
        guard let entry = memory.withLock({ $0.known[id] }), let network else { throw BlobError.notFound }
        if let image = entry.image { return image }
        let sink = MemorySink(limit: Self.imageLimit)
        let request = HTTPRequest(
            "GET", entry.url, headers: ["Accept": "image/*"], purpose: "show an image in a message")
        let response = try await network.download(request, into: sink) { head in
            guard head.status == 200, Self.type(of: head) != nil else { throw BlobError.notFound }
        }
        guard let type = Self.type(of: response) else { throw BlobError.notFound }
        let image = Image(type: type, data: await sink.data)
        memory.withLock { $0.keep(image, id) }
        return image
    }

    private static func type(of response: HTTPResponse) -> String? {
        let type = (response.headers["content-type"] ?? "").prefix { $0 != ";" }.lowercased()
            .filter { !$0.isWhitespace }
        return types.contains(type) ? type : nil
    }

    /// Pictures that cannot hold a script or an address.
    private static let types: Set<String> = [
        "image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "image/bmp",
        "image/x-icon", "image/vnd.microsoft.icon",
    ]
}
