public import MailKernelAPI
import Synchronization

/// Keeps the vectors of accounts in memory while they are searched: reading them from the store takes ten times as long
/// as comparing them. After a while without searches it is empty again.
///
/// `Owner` is what the store knows an account by, and `Row` an email.
public final class VectorShelf<Owner: Hashable & Sendable, Row: Hashable & Sendable>: Sendable {
    /// Which vectors a table has.
    public struct Key: Hashable, Sendable {
        /// The account of the emails.
        public var account: Owner
        /// The model that made the vectors.
        public var model: String
        /// The length of the vectors.
        public var dimensions: Int

        public init(account: Owner, model: String, dimensions: Int) {
            self.account = account
            self.model = model
            self.dimensions = dimensions
        }
    }

    /// The tables that are in memory.
    public struct Tables: Sendable {
        /// A store adds, updates and removes them here.
        public var all: [Key: VectorTable<Row>] = [:]
        fileprivate var uses = 0
        fileprivate var isWatched = false

        /// Returns whether so many vectors may be kept; others may have to go for them. Those that may not are compared
        /// as they are read.
        public mutating func makeRoom(for count: Int, dimensions: Int) -> Bool {
            let wanted = VectorTable<Row>.bytes(of: count, dimensions: dimensions)
            guard wanted <= VectorShelf.mostBytes else { return false }
            let room = VectorShelf.mostBytes - all.values.reduce(0) { $0 + $1.bytes }
            if wanted > room { all = [:] }
            return true
        }
    }

    /// For all accounts together.
    private static var mostBytes: Int { 100_000_000 }
    private static var idle: Duration { .seconds(300) }

    private let tables = Mutex(Tables())

    public init() {}

    /// One search after the other: `body` may bring the tables up to date.
    public func use<Answer: Sendable>(
        _ body: (inout Tables) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        try tables.withLock { tables throws(StorageError) in
            tables.uses += 1
            if !tables.isWatched {
                tables.isWatched = true
                Task { await watch() }
            }
            return try body(&tables)
        }
    }

    /// Empties the memory: the next search reads the vectors again.
    public func forgetAll() {
        tables.withLock { $0.all = [:] }
    }

    private func watch() async {
        var seen = -1
        while true {
            try? await Task.sleep(for: Self.idle)
            let isOver = tables.withLock { tables in
                guard tables.uses == seen else {
                    seen = tables.uses
                    return false
                }
                tables = Tables()
                return true
            }
            if isOver { return }
        }
    }
}
