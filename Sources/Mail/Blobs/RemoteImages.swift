import FoundationEssentials
import MailKernelAPI
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
    /// So many are fetched at a time, for all messages together.
    private static let mostAtATime = 8
    /// A server that takes longer than this for an image has none.
    private static let deadline = Duration.seconds(30)
    /// How long a message waits for its images before it is shown without those that are still coming.
    static let patience = Duration.milliseconds(800)

    private let network: (any PluginNetwork)?
    private let ids: IDMaker
    private let memory = Mutex(RemoteImageMemory())

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
        return memory.withLock { $0.name(of: url) { ids.next(Self.prefix) } }
    }

    /// Public servers over HTTPS alone. What the name turns out to lead to is checked by the network that this was given.
    package static func url(_ address: String) -> URL? { PublicURL.read(address, schemes: ["https"]) }

    /// Begins to fetch what is not here, and waits a moment for it.
    ///
    /// - Returns: how many are still coming.
    func fetch(_ ids: Set<Id<Blob>>) async -> Int {
        memory.withLock { $0.want(ids, now: .now) }
        fetchNext()
        let end = ContinuousClock.now + Self.patience
        while true {
            let coming = memory.withLock { $0.coming(of: ids) }
            guard coming > 0, ContinuousClock.now < end,
                (try? await Task.sleep(for: .milliseconds(20))) != nil
            else { return coming }
        }
    }

    func coming(of ids: Set<Id<Blob>>) -> Int { memory.withLock { $0.coming(of: ids) } }

    /// An image that is here. A browser has few connections to this program, and none may be taken up by a slow server.
    ///
    /// - Throws: `BlobError.notFound` for one that is unknown, still coming, or none.
    func image(_ id: Id<Blob>) async throws -> RemoteImage {
        if memory.withLock({ $0.isUnasked(id) }) { _ = await fetch([id]) }
        guard let image = memory.withLock({ $0.image(id) }) else { throw BlobError.notFound }
        return image
    }

    private func fetchNext() {
        while let (id, url) = memory.withLock({ $0.next(atMost: Self.mostAtATime) }) {
            Task { [self] in
                let image = await download(url)
                memory.withLock { $0.take(image, for: id, now: .now) }
                fetchNext()
            }
        }
    }

    /// Nil if there is none to be had.
    private func download(_ url: URL) async -> RemoteImage? {
        guard let network else { return nil }
        return await withTaskGroup(of: RemoteImage?.self) { group in
            group.addTask {
                let sink = MemorySink(limit: Self.imageLimit)
                let request = HTTPRequest(
                    "GET", url, headers: ["Accept": "image/*"], purpose: "show an image in a message")
                let response = try? await network.download(request, into: sink) { head in
                    guard head.status == 200, Self.type(of: head) != nil || Self.isUnnamed(head) else {
                        throw BlobError.notFound
                    }
                }
                let data = await sink.data
                guard let type = response.flatMap({ Self.type(of: $0) }) ?? Self.type(of: data) else {
                    return nil
                }
                return RemoteImage(type: type, data: data)
            }
            group.addTask {
                try? await Task.sleep(for: Self.deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private static func type(of response: HTTPResponse) -> String? {
        let type = (response.headers["content-type"] ?? "").prefix { $0 != ";" }.lowercased()
            .filter { !$0.isWhitespace }
        return types.contains(type) ? type : nil
    }

    /// Some stores of files name no type, or this one for everything.
    private static func isUnnamed(_ response: HTTPResponse) -> Bool {
        let type = response.headers["content-type"] ?? ""
        return type.isEmpty || type.lowercased().hasSuffix("/octet-stream")
    }

    /// By its first bytes.
    private static func type(of data: Data) -> String? {
        let signs: [(String, at: Int, [UInt8])] = [
            ("image/png", 0, [0x89, 0x50, 0x4E, 0x47]), ("image/jpeg", 0, [0xFF, 0xD8, 0xFF]),
            ("image/gif", 0, Array("GIF8".utf8)), ("image/webp", 8, Array("WEBP".utf8)),
        ]
        return signs.first { _, start, sign in data.dropFirst(start).starts(with: sign) }?.0
    }

    /// Pictures that cannot hold a script or an address.
    private static let types: Set<String> = [
        "image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "image/bmp",
        "image/x-icon", "image/vnd.microsoft.icon",
    ]
}
