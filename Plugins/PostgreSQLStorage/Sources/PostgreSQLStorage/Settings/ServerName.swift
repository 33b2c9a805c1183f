import CPostgreSQL

extension ServerSettings {
    /// What the user knows the server by: its host, or several of them.
    var serverName: String {
        let hosts = option("host").split(separator: ",").filter { !$0.hasPrefix("/") }
        let addresses = hosts.isEmpty ? option("hostaddr").split(separator: ",") : hosts
        // A socket is reached without a host.
        return addresses.isEmpty ? "localhost" : String(addresses.joined(separator: ", ").prefix(200))
    }

    /// What the connection string says; empty if it does not.
    private func option(_ name: String) -> String {
        guard let options = PQconninfoParse(connection, nil) else { return "" }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == name {
                return option.pointee.val.map { String(cString: $0) } ?? ""
            }
            option += 1
        }
        return ""
    }
}
