import FoundationEssentials
import MailKernelAPI

/// An image from another server.
struct RemoteImage: Sendable {
    var type: String
    var data: Data
}

/// The images that were named in this run, and what is known of each.
struct RemoteImageMemory {
    private enum State {
        case named
        /// Asked for, and waiting until others have come.
        case wanted
        case coming
        case here(RemoteImage)
        /// There was none at that time.
        case missing(ContinuousClock.Instant)
    }

    private static let cacheLimit = 40_000_000
    private static let nameLimit = 5000
    /// What was missing may be there later.
    private static let missingTime = Duration.seconds(60)

    private var states: [Id<Blob>: (url: URL, state: State)] = [:]
    private var names: [URL: Id<Blob>] = [:]
    /// Oldest first.
    private var order: [Id<Blob>] = []
    private var wanted: [Id<Blob>] = []
    private var cached: [Id<Blob>] = []
    private var cachedBytes = 0
    private var comingCount = 0

    mutating func name(of url: URL, make: () -> Id<Blob>) -> Id<Blob> {
        if let id = names[url] { return id }
        let id = make()
        names[url] = id
        states[id] = (url, .named)
        order.append(id)
        if order.count > Self.nameLimit { forget(order.removeFirst()) }
        return id
    }

    func isUnasked(_ id: Id<Blob>) -> Bool {
        if case .named = states[id]?.state { true } else { false }
    }

    func image(_ id: Id<Blob>) -> RemoteImage? {
        if case .here(let image) = states[id]?.state { image } else { nil }
    }

    /// How many of them may still come.
    func coming(of ids: Set<Id<Blob>>) -> Int {
        ids.count { id in
            switch states[id]?.state {
            case .wanted, .coming: true
            case .named, .here, .missing, nil: false
            }
        }
    }

    mutating func want(_ ids: Set<Id<Blob>>, now: ContinuousClock.Instant) {
        for id in ids {
            switch states[id]?.state {
            case .missing(let date) where now - date < Self.missingTime: continue
            case .named, .missing:
                states[id]?.state = .wanted
                wanted.append(id)
            case .wanted, .coming, .here, nil: continue
            }
        }
    }

    /// The next one to fetch, if fewer than `limit` are being fetched.
    mutating func next(atMost limit: Int) -> (Id<Blob>, URL)? {
        while comingCount < limit, !wanted.isEmpty {
            let id = wanted.removeFirst()
            guard let url = states[id]?.url else { continue }
            states[id]?.state = .coming
            comingCount += 1
            return (id, url)
        }
        return nil
    }

    mutating func take(_ image: RemoteImage?, for id: Id<Blob>, now: ContinuousClock.Instant) {
        comingCount -= 1
        guard states[id] != nil else { return }
        guard let image else {
            states[id]?.state = .missing(now)
            return
        }
        states[id]?.state = .here(image)
        cached.append(id)
        cachedBytes += image.data.count
        while cachedBytes > Self.cacheLimit, cached.count > 1 { drop(cached.removeFirst()) }
    }

    private mutating func drop(_ id: Id<Blob>) {
        cachedBytes -= image(id)?.data.count ?? 0
        states[id]?.state = .named
    }

    private mutating func forget(_ id: Id<Blob>) {
        if let index = cached.firstIndex(of: id) {
            cached.remove(at: index)
            drop(id)
        }
        if let url = states.removeValue(forKey: id)?.url { names[url] = nil }
    }
}
