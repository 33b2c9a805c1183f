import MailKernelAPI

/// The end of a copy: the switch to the new server.
extension AccountCopy {
    /// Copies the last changes, while commits to the account wait, and ends its time on the old server.
    func depart() throws(StorageError) {
        try from.now { lane throws(StorageError) in
            try lane.write { source throws(StorageError) in
                guard try source.lockAccount(account) else {
                    if try isArriving() { return }
                    throw MoveClaim.lost
                }
                try copyChanges(source)
                let image = try source.first(
                    "SELECT row_to_json(a)::text FROM account a WHERE account = $1", [.integer(account)]
                ) { $0.text(0) }
                try write("image = $3", [.text(image ?? "")]) { _ throws(StorageError) in }
                try claim.check()
                try source.leavePlace(account, isHome: self.source == ServerSettings.home)
            }
        }
    }

    /// The account can be used on the new server from now on.
    func arrive() throws(StorageError) {
        try to.now { lane throws(StorageError) in
            try lane.write { target throws(StorageError) in
                let image = try target.first(
                    "DELETE FROM arrival WHERE account = $1 AND image IS NOT NULL RETURNING image",
                    [.integer(account)]
                ) { $0.text(0) }
                // It has arrived before.
                guard let image else { return }
                try target.run(
                    "INSERT INTO account SELECT * FROM json_populate_record(NULL::account, $1::json)",
                    .text(image))
            }
        }
    }

    /// In steps, because other accounts go on there.
    func clearSource() throws(StorageError) {
        for table in MovedTable.all {
            var count = 0
            repeat {
                try goOn()
                count = try from.now { lane throws(StorageError) in
                    try lane.write { source throws(StorageError) in
                        try source.refuseOwner(of: account)
                        return try source.run(
                            """
                            DELETE FROM \(table.name) WHERE account = $1 AND ctid = ANY (
                                ARRAY(SELECT ctid FROM \(table.name) WHERE account = $1 LIMIT $2))
                            """, .integer(account), .integer(table.page))
                    }
                }
            } while count == table.page
        }
    }
}

extension Connection {
    fileprivate func leavePlace(_ account: Int, isHome: Bool) throws(StorageError) {
        if isHome {
            try run(
                """
                UPDATE account_place p SET added = a.added, record = a.record
                FROM account a WHERE a.account = p.account AND a.account = $1
                """, .integer(account))
        }
        try run("DELETE FROM account WHERE account = $1", .integer(account))
    }
}
