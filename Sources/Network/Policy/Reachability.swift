import FoundationEssentials

/// Whether this machine has any way to a network.
enum Reachability {
    private static let tables = ["/proc/net/route", "/proc/net/ipv6_route"]

    /// False if no route leads beyond this machine and its local networks; those of containers and virtual
    /// machines exist without a cable. Sends nothing.
    static var hasNetwork: Bool {
        let known = tables.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        // Not knowing is no reason to say that the machine is offline.
        return known.isEmpty || known.contains { hasRoute($0) }
    }

    /// Whether one of the system's tables, of either kind, has a route to everywhere or to half of it, as some
    /// virtual private networks say it.
    static func hasRoute(_ table: String) -> Bool {
        table.split(separator: "\n").contains { line in
            let columns = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            // Of the older protocol: interface, destination, gateway, flags, …; of the newer: destination,
            // prefix, …, flags, interface.
            let isNewer = columns.first?.count == 32
            guard columns.count >= (isNewer ? 10 : 4) else { return false }
            let (interface, flags) = isNewer ? (columns[9], columns[8]) : (columns[0], columns[3])
            let isEverywhere = (isNewer ? columns[0] : columns[1]).allSatisfy { $0 == "0" }
            let isShort = !isNewer || UInt8(columns[1], radix: 16).map { $0 <= 3 } ?? false
            let bits = UInt32(flags, radix: 16) ?? 0
            return isEverywhere && isShort && interface != "lo" && bits & up != 0 && bits & refused == 0
        }
    }

    /// `RTF_UP` and `RTF_REJECT`.
    private static let up: UInt32 = 0x1
    private static let refused: UInt32 = 0x200
}
