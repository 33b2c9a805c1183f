import Dispatch
import MailKernelAPI

/// The rows of an account on their way from one server to another.
struct AccountCopy {
    let source: String
    let from: Lane
    let to: Lane
    let claim: MoveClaim
    let isOver: () -> Bool

    /// Changes are copied again and again, until that takes no longer.
    private static let shortPass = 0.2
    private static let mostPasses = 10

    var account: Int { claim.account }

    func goOn() throws(StorageError) {
        if isOver() { throw .closed }
        try claim.renew()
    }
}

// MARK: The beginning

extension AccountCopy {
    /// Returns whether the account has left the old server: then it can only go on to the new one.
    func hasDeparted() throws(StorageError) -> Bool { try whileHere { () throws(StorageError) in } }

    /// Takes over what another kernel began, or begins. Returns whether the account has left the old server.
    func begin() throws(StorageError) -> Bool {
        let origin = try origin()
        return try whileHere { () throws(StorageError) in
            try takeOver { target throws(StorageError) in
                let found = try target.first(
                    """
                    UPDATE arrival SET mover = $2, image = NULL WHERE account = $1 AND source = $3 AND origin = $4
                    RETURNING account
                    """,
                    [.integer(account), .bytes(claim.kernel), .text(source), .text(origin.server)]
                ) { $0.int(0) }
                guard found == nil else { return }
                try target.refuseOwner(of: account)
                try target.clearMoved(account)
                try target.run(
                    """
                    INSERT INTO arrival (account, mover, source, origin, since, step) VALUES ($1, $2, $3, $4, $5, 0)
                    """, .integer(account), .bytes(claim.kernel), .text(source), .text(origin.server),
                    .text(origin.transaction))
            }
        }
    }

    /// Removes from the new server what was copied to it.
    func discard() throws(StorageError) {
        _ = try whileHere { () throws(StorageError) in
            try takeOver { target throws(StorageError) in
                try target.refuseOwner(of: account)
                try target.clearMoved(account)
            }
        }
    }

    private func takeOver(_ body: (Connection) throws(StorageError) -> Void) throws(StorageError) {
        try to.now { lane throws(StorageError) in try lane.write(body) }
    }

    /// Runs `body` while the account cannot leave the old server. Returns whether it has left it before.
    private func whileHere(_ body: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
        try from.now { lane throws(StorageError) in
            try lane.write { source throws(StorageError) in
                guard try source.lockAccount(account) else {
                    guard try isArriving() else { throw MoveClaim.lost }
                    return true
                }
                try body()
                return false
            }
        }
    }

    func isArriving() throws(StorageError) -> Bool {
        try to.now { lane throws(StorageError) in
            try lane.read { target throws(StorageError) in
                try target.first(
                    "SELECT image IS NOT NULL FROM arrival WHERE account = $1", [.integer(account)]
                ) { $0.flag(0) } ?? false
            }
        }
    }

    /// What tells old rows from new ones: the server, and its oldest transaction under way. After a failover, all is
    /// copied again.
    private func origin() throws(StorageError) -> (server: String, transaction: String) {
        try from.now { lane throws(StorageError) in
            try lane.read { source throws(StorageError) in
                let server = source.primaryship.map { "\($0.system) \($0.timeline)" } ?? ""
                return (server, try source.oldestTransaction())
            }
        }
    }
}

// MARK: Copying

extension AccountCopy {
    /// In small steps, each with its place: the next kernel goes on there.
    func copyAll() throws(StorageError) {
        let began = try to.now { lane throws(StorageError) in
            try lane.read { target throws(StorageError) in
                try target.first(
                    "SELECT step, last FROM arrival WHERE account = $1", [.integer(account)]
                ) { (step: $0.int(0), last: $0.textOrNil(1)) }
            }
        }
        guard var (step, last) = began else { throw MoveClaim.lost }
        while step < MovedTable.all.count {
            try goOn()
            let (table, after) = (MovedTable.all[step], last)
            let page = try from.now { lane throws(StorageError) in
                try lane.read { source throws(StorageError) in
                    try table.rows(of: account, after: after, since: nil, source)
                }
            }
            (step, last) = page.last == nil ? (step + 1, nil) : (step, page.last)
            try write("step = $3, last = convert_from($4, 'UTF8')", [.integer(step), .string(last)]) {
                target throws(StorageError) in try table.put(page.rows, target)
            }
        }
    }

    /// Copies what has changed, until little does.
    func catchUp() throws(StorageError) {
        for _ in 0..<Self.mostPasses {
            let start = DispatchTime.now()
            let now = try from.now { lane throws(StorageError) in
                try lane.read { source throws(StorageError) in
                    let now = try source.oldestTransaction()
                    try copyChanges(source)
                    return now
                }
            }
            try write("since = $3", [.text(now)]) { _ throws(StorageError) in }
            if DispatchTime.now() < start + Self.shortPass { return }
        }
    }

    /// - Parameter source: sees one moment.
    func copyChanges(_ source: Connection) throws(StorageError) {
        let since = try to.now { lane throws(StorageError) in
            try lane.read { target throws(StorageError) in
                try target.first("SELECT since FROM arrival WHERE account = $1", [.integer(account)]) {
                    $0.text(0)
                }
            }
        }
        guard let since else { throw MoveClaim.lost }
        for table in MovedTable.all {
            var last: String?
            repeat {
                try goOn()
                let page = try table.rows(of: account, after: last, since: since, source)
                if !page.rows.isEmpty {
                    try write { target throws(StorageError) in try table.put(page.rows, target) }
                }
                last = page.last
            } while last != nil
            try write { target throws(StorageError) in try table.removeSurplus(of: account, source, target) }
        }
    }

    /// A transaction on the new server, if no other kernel has taken over.
    func write(
        _ columns: String = "mover = mover", _ values: [SQLValue] = [],
        _ body: (Connection) throws(StorageError) -> Void
    ) throws(StorageError) {
        try to.now { lane throws(StorageError) in
            try lane.write { target throws(StorageError) in
                let mine = try target.rows(
                    "UPDATE arrival SET \(columns) WHERE account = $1 AND mover = $2 RETURNING account",
                    [.integer(account), .bytes(claim.kernel)] + values
                ) { $0.int(0) }
                guard !mine.isEmpty else { throw MoveClaim.lost }
                try body(target)
            }
        }
    }
}
