import MailKernelAPI

/// Looks whether the accounts of a store with several servers are where its map says.
struct PlaceCheck {
    struct Place {
        let account: Int
        let address: String
        let server: String
    }

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// A sentence for each account that is just being moved, at the home server.
    func moves() throws(StorageError) -> [String] {
        try connection.rows(
            """
            SELECT address, arriving, leaving, server, problem FROM account_place
            WHERE arriving <> '' OR leaving <> '' OR problem <> '' ORDER BY account
            """, once: true
        ) { row in
            let (address, problem) = (row.text(0), row.text(4))
            guard problem.isEmpty else { return "\(address) cannot be moved to another server: \(problem)" }
            let (from, to) = row.text(1).isEmpty ? (row.text(2), row.text(3)) : (row.text(3), row.text(1))
            return "\(address) is being moved from server “\(from)” to “\(to)”. Check again once it is there."
        }
    }

    func name() throws(StorageError) -> String {
        try connection.first("SELECT name FROM server_name") { $0.text(0) } ?? ""
    }

    /// The accounts of this server.
    func accounts() throws(StorageError) -> [Int] {
        try connection.rows("SELECT account FROM account") { $0.int(0) }
    }

    func places() throws(StorageError) -> [Place] {
        try connection.rows("SELECT account, address, server FROM account_place ORDER BY account") {
            Place(account: $0.int(0), address: $0.text(1), server: $0.text(2))
        }
    }

    static func finding(_ place: Place, on servers: [String], missing: [String]) -> String? {
        guard servers != [place.server], !missing.contains(place.server) else { return nil }
        let found = servers.isEmpty ? "on no server" : servers.map { "on “\($0)”" }.joined(separator: " and ")
        return
            "\(place.address) should be on server “\(place.server)”, and is \(found). Restore a backup of the servers, "
            + "all of the same time."
    }
}
