import Dispatch
import MailKernelAPI
import Synchronization

/// A row of the map that is not as it should be.
struct PlaceWish: Sendable {
    let server: String
    let wanted: String
    let arriving: String
    let leaving: String

    static let isThere = "(wanted <> server OR arriving <> '' OR leaving <> '')"

    /// The accounts that are not where they should be.
    static func accounts(_ home: Connection) throws(StorageError) -> [Int] {
        try home.rows("SELECT account FROM account_place WHERE \(isThere) ORDER BY account") { $0.int(0) }
    }
}

/// The right of one kernel to move an account. It ends a while after the kernel was last heard of; each step looks
/// whether it is still there.
final class MoveClaim: Sendable {
    private static let duration = "interval '15 seconds'"
    private static let renewal = 3.0

    let account: Int
    let kernel: [UInt8]
    private let home: Lane
    private let renewed = Mutex(DispatchTime.now())

    init(account: Int, kernel: [UInt8], _ home: Lane) {
        self.account = account
        self.kernel = kernel
        self.home = home
    }

    /// Nil if another kernel has it, or has done all.
    func take() throws(StorageError) -> PlaceWish? {
        try home.write { connection throws(StorageError) in
            try connection.first(
                """
                UPDATE account_place SET mover = $2, mover_until = clock_timestamp() + \(Self.duration)
                WHERE account = $1 AND \(PlaceWish.isThere)
                AND (mover IS NULL OR mover = $2 OR mover_until < clock_timestamp())
                RETURNING server, wanted, arriving, leaving
                """, [.integer(account), .bytes(kernel)]
            ) {
                PlaceWish(
                    server: $0.text(0), wanted: $0.text(1), arriving: $0.text(2), leaving: $0.text(3))
            }
        }
    }

    /// - Throws: if another kernel has it, or the account was removed.
    func renew() throws(StorageError) {
        guard renewed.withLock({ $0 + Self.renewal < .now() }) else { return }
        try check()
        renewed.withLock { $0 = .now() }
    }

    func check() throws(StorageError) { try write("mover_until = clock_timestamp() + \(Self.duration)") }

    /// Changes the row of the map.
    ///
    /// - Parameter values: from `$3` on.
    func write(_ columns: String, _ values: String...) throws(StorageError) {
        let changed = try home.write { connection throws(StorageError) in
            try connection.rows(
                "UPDATE account_place SET \(columns) WHERE account = $1 AND mover = $2 RETURNING account",
                [.integer(account), .bytes(kernel)] + values.map { SQLValue.text($0) }
            ) { $0.int(0) }
        }
        guard !changed.isEmpty else { throw Self.lost }
    }

    func giveBack(problem: String) throws(StorageError) { try write("mover = NULL, problem = $3", problem) }

    static let lost = StorageError.unreachable(reason: "another kernel goes on with the move")
}
