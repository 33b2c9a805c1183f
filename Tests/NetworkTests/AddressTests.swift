import Foundation
import MailKernelAPI
import Synchronization
import TestSupport
import Testing

@testable import Network

@Suite("What mail names leads to the internet and nowhere else", .timeLimit(.minutes(10))) struct AddressTests
{
    @Test(arguments: [
        "127.0.0.1", "127.255.0.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "198.18.0.1", "198.19.9.9",
        "224.0.0.1",
        "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
        "::7f00:1",
        "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b::c0a8:101",
        "64:ff9b:1::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "4000::1",
    ])
    func addressesOfThisPlaceAreNotPublic(_ text: String) throws {
        #expect(!PublicAddress.isOne(try #require(NetworkAddress(text)).bytes))
        #expect(!PublicAddress.mayBeName(text))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "172.32.0.1", "172.15.0.1", "100.128.0.1", "192.169.0.1", "223.255.255.1",
        "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "64:ff9b::808:808",
    ])
    func othersAre(_ text: String) throws {
        #expect(PublicAddress.isOne(try #require(NetworkAddress(text)).bytes))
        #expect(PublicAddress.mayBeName(text))
    }

    @Test(arguments: [
        "localhost", "LOCALHOST.", "a.localhost", "router", "printer.local", "x.internal", "nas.home.arpa",
        "",
        ".", "127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "10.1",
        "fe80::1%eth0",
        "[::1]",
    ])
    func namesOfThisPlaceAreRefused(_ name: String) {
        #expect(!PublicAddress.mayBeName(name))
    }

    @Test(arguments: ["example.org", "images.example.org.", "localhost.example.org", "xn--80ak6aa92e.com"])
    func othersMayBeAsked(_ name: String) {
        #expect(PublicAddress.mayBeName(name))
    }

    private func access(_ bench: Bench, _ rules: AddressRules) -> any PluginNetwork {
        bench.network.access(for: "org.example.a", hosts: ["*"], addresses: rules)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func aNameOfThisMachineIsNotEvenLookedUp(_ host: String) async throws {
        let bench = try await Bench()
        let failed = await failure {
            try await bench.get("web", "/echo", host: host, with: access(bench, .publicOnly))
        }
        #expect(failed == .hostNotAllowed(host: host))
        #expect(bench.entries.isEmpty)
    }

    /// A stranger's name can lead here: it is the address that counts.
    @Test func anAddressOfThisMachineIsNotConnectedTo() async throws {
        let bench = try await Bench()
        let rules = AddressRules(allowsName: { _ in true }, allowsAddress: PublicAddress.isOne)
        let failed = await failure { try await bench.get("web", "/echo", with: access(bench, rules)) }
        #expect(failed == .hostNotAllowed(host: "localhost"))
        let entries = await bench.closedEntries(1)
        #expect(entries.map(\.sent) == [0] && entries.map(\.received) == [0])
    }

    /// What a redirect asks for is looked at like the first address: a name may lead elsewhere by then.
    @Test func noRedirectLeadsHere() async throws {
        let bench = try await Bench()
        let looks = Mutex(0)
        let rules = AddressRules(
            allowsName: { _ in true },
            allowsAddress: { _ in
                looks.withLock { looks in
                    looks += 1
                    return looks == 1
                }
            })
        let there = try bench.servers.url("web", "/echo").absoluteString
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let encoded = try #require(there.addingPercentEncoding(withAllowedCharacters: allowed))
        let path = "/redirect?status=302&to=\(encoded)"
        let failed = await failure {
            try await bench.get("web", path, host: "127.0.0.1", with: access(bench, rules))
        }
        #expect(failed == .hostNotAllowed(host: "localhost"))
    }

    @Test func whatTheRulesAllowIsFetched() async throws {
        let bench = try await Bench()
        let rules = AddressRules(allowsName: { _ in true }, allowsAddress: { [4, 16].contains($0.count) })
        #expect(try await bench.get("web", "/echo", with: access(bench, rules)).status == 200)
    }
}
