import MailKernelAPI

/// What a server is to the store.
enum ServerRole {
    /// The settings name no other.
    case only
    /// The one with the map of the accounts, and with everything that belongs to no account.
    case home
    /// One with accounts.
    case further(name: String, storeID: String)

    var name: String { if case .further(let name, _) = self { name } else { ServerSettings.home } }
}

// MARK: The tables of a store with several servers

extension Opening {
    func openPlaces(isNew: Bool) throws(StorageError) {
        let isSpread = isNew ? false : try isThere("server_name")
        if case .only = role {
            guard isSpread else { return }
            try checkName()
            return try checkAllAreHome()
        }
        guard isSpread else { return try createPlaces(isNew: isNew) }
        try checkName()
        if case .home = role { try connection.addPlaces() }
        guard case .further(_, let id) = role, try connection.storeID() != id else { return }
        throw .unsupported(
            "The server “\(role.name)” belongs to another store. Name an empty database in the setting “servers”."
        )
    }

    private func createPlaces(isNew: Bool) throws(StorageError) {
        if !isNew, case .further = role {
            throw .unsupported(
                "The server “\(role.name)” has a store of its own. Name an empty database in the setting “servers”."
            )
        }
        try connection.execute(PlaceTables.creation)
        try connection.run("INSERT INTO server_name (name) VALUES ($1)", .text(role.name))
        // Earlier versions of this plugin would not find accounts that are elsewhere.
        try connection.run("UPDATE store SET format = $1", .integer(Schema.spreadVersion))
        if case .home = role { try connection.addPlaces() }
    }

    private func checkName() throws(StorageError) {
        let name = try connection.first("SELECT name FROM server_name", once: true) { $0.text(0) } ?? ""
        guard name != role.name else { return }
        throw .unsupported(
            "The database is the server “\(name)” of a store with several servers, and the settings use it as "
                + "“\(role.name)”. Correct “connection” and “servers” in "
                + "plugins/org.mailkernel.postgresql.json in the configuration folder.")
    }

    private func checkAllAreHome() throws(StorageError) {
        let find = """
            SELECT string_agg(DISTINCT server, ', ') FROM account_place
            WHERE server <> 'home' OR arriving <> '' OR leaving <> ''
            """
        guard let names = try connection.first(find, once: true, { $0.textOrNil(0) }) ?? nil else { return }
        throw .unsupported(
            "Accounts of this store are on other servers (\(names)), and the setting “servers” is missing in "
                + "plugins/org.mailkernel.postgresql.json in the configuration folder.")
    }

    private func isThere(_ table: String) throws(StorageError) -> Bool {
        try connection.first(
            "SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).\(table)")], once: true
        ) { $0.flag(0) } ?? false
    }
}
