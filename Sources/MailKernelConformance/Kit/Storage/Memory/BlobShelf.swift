import FoundationEssentials
import MailKernelAPI

/// The blobs of one account.
struct BlobShelf: Sendable {
    struct Item {
        var info: BlobInfo
        var bytes: Data
        var lastUse: Int
    }

    private(set) var items: [Id<Blob>: Item] = [:]

    mutating func put(_ item: Item, limit: Int) {
        items[item.info.id] = item
        evict(limit: limit)
    }

    mutating func remove(_ id: Id<Blob>) {
        items[id] = nil
    }

    mutating func use(_ id: Id<Blob>, at time: Int) {
        items[id]?.lastUse = time
    }

    /// Removes cached blobs, those not used for longest first, until the rest fits. The one used
    /// last stays: a reader is about to read it.
    mutating func evict(limit: Int) {
        let cached = items.values.filter { $0.info.retention == .cached }.sorted { $0.lastUse < $1.lastUse }
        var size = cached.reduce(0) { $0 + $1.info.size }
        for item in cached.dropLast() where size > limit {
            items[item.info.id] = nil
            size -= item.info.size
        }
    }

    mutating func removeCached() {
        items = items.filter { $0.value.info.retention != .cached }
    }

    var size: Int { items.values.reduce(0) { $0 + $1.info.size } }

    var cachedSize: Int {
        items.values.reduce(0) { $0 + ($1.info.retention == .cached ? $1.info.size : 0) }
    }
}
