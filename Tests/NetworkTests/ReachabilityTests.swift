import Testing

@testable import Network

@Suite("Whether there is a network") struct ReachabilityTests {
    private static let older =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    private static func newer(_ destination: String, _ flags: String, _ interface: String) -> String {
        let zeros = String(repeating: "0", count: 32)
        return "\(destination) \(zeros) 00 \(zeros) ffffffff 00000001 00000000 \(flags) \(interface)\n"
    }

    @Test func aRouteToEverywhereIsAWay() {
        let line = "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        #expect(Reachability.hasRoute(Self.older + line))
        let zeros = String(repeating: "0", count: 32)
        #expect(Reachability.hasRoute(Self.newer("\(zeros) 00", "00000003", "   wlan0")))
    }

    @Test func halfOfItThroughATunnelIsAWay() {
        let line = "tun0\t00000000\t0100080A\t0003\t0\t0\t0\t00000080\t0\t0\t0\n"
        #expect(Reachability.hasRoute(Self.older + line))
    }

    /// Those of containers and virtual machines are there without a cable, and are no reason to count tries.
    @Test func aNetworkOnThisMachineIsNone() {
        let bridge = "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
        let own = "eth0\t0000FEA9\t00000000\t0001\t0\t0\t1000\t0000FFFF\t0\t0\t0\n"
        #expect(!Reachability.hasRoute(Self.older + bridge + own))
        let local = Self.newer("fe800000000000000000000000000000 40", "00000001", "   docker0")
        #expect(!Reachability.hasRoute(local))
    }

    /// As the system notes that there is none.
    @Test func aRouteThatRefusesIsNone() {
        let zeros = String(repeating: "0", count: 32)
        #expect(!Reachability.hasRoute(Self.newer("\(zeros) 00", "00200200", "      lo")))
        #expect(!Reachability.hasRoute(""))
        #expect(!Reachability.hasRoute("garbage\n\u{0}\n"))
    }
}
