import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import MessageFormat

/// Addresses as programs write them: something is shown of each, and never the first half of one.
@Suite("Addresses that are no addresses") struct ForeignAddressTests {
    private static func a(_ email: String, _ name: String? = nil) -> EmailAddress {
        EmailAddress(name: name, email: email)
    }

    @Test(arguments: [
        ("Name addr@host", [a("addr@host", "Name")]),
        ("First Last first@example.com", [a("first@example.com", "First Last")]),
        ("first@example.com First Last", [a("first@example.com", "First Last")]),
        ("\"Last, First\" first@example.com", [a("first@example.com", "Last, First")]),
        ("MAILER DAEMON <>", [a("", "MAILER DAEMON")]), ("MAILER DAEMON", [a("", "MAILER DAEMON")]),
        ("\"Mail Delivery System\" <MAILER-DAEMON>", [a("MAILER-DAEMON", "Mail Delivery System")]),
        ("root", [a("root")]), ("<>", []), ("(only)", [a("", "only")]),
        ("ana @ example.com", [a("ana@example.com")]), ("< ana@example.com >", [a("ana@example.com")]),
        ("<a b@example.com>", [a("a b@example.com")]), ("\"a b\"@example.com", [a("\"a b\"@example.com")]),
        ("Ana <\"a>b\"@example.com>", [a("\"a>b\"@example.com", "Ana")]),
        ("<@relay.example,@other.example:ana@example.com>", [a("ana@example.com")]),
        ("ana@[IPv6:2001:db8::1]", [a("ana@[IPv6:2001:db8::1]")]),
        ("<ana@example.com", [a("ana@example.com")]),
        ("Ana <ana@example.com, ben@example.com", [a("ana@example.com", "Ana"), a("ben@example.com")]),
        ("Ana <Ana <ana@example.com>>", [a("ana@example.com", "Ana Ana")]),
        (
            "\"Ana <ana@example.com>, Ben <ben@example.com>",
            [a("ana@example.com", "\"Ana"), a("ben@example.com", "Ben")]
        ),
        ("Ana (work <ana@example.com>", [a("ana@example.com", "Ana (work")]),
        ("ana@example.com; ben@example.com", [a("ana@example.com"), a("ben@example.com")]),
        ("half, ben@example.com", [a("half"), a("ben@example.com")]),
        ("\"ana@example.com\"", [a("ana@example.com")]),
        ("Ana <mailto:ana@example.com>", [a("ana@example.com", "Ana")]),
        (
            "=?utf-8?Q?Last=2C_First_=3Cx=40y=3E?= <ana@example.com>",
            [a("ana@example.com", "Last, First <x@y>")]
        ),
        ("=?utf-8?q?service=40bank.example?=", [a("", "service@bank.example")]),
        ("=?utf-8?b?QW5h?= =?utf-8?q?_=3Ca=40b=2Ec=3E?=", [a("", "Ana <a@b.c>")]),
        ("Ana <=?utf-8?q?service=40bank.example?=>", [a("", "Ana service@bank.example")]),
    ]) func somethingIsShown(_ raw: String, _ expected: [EmailAddress]) {
        #expect(HeaderForm.addresses(of: " " + raw) == expected)
    }

    /// None of these is an address at the trusted domain.
    @Test(arguments: [
        "service@paypal.com@evil.example", "<service@paypal.com@evil.example>",
        "service@paypal.com\u{FFFD}@evil.example", "<service@paypal.com evil@evil.example>",
        "service@paypal.com\\@evil.example", "<service@paypal.com,evil@evil.example>",
        "Service <service@paypal.com\u{1}@evil.example>", "<service@paypal.com(x)@evil.example>",
    ]) func theFirstHalfIsNotShownAlone(_ raw: String) {
        for address in HeaderForm.addresses(of: " " + raw) {
            #expect(address.email != "service@paypal.com")
            #expect(address.email.hasSuffix("evil.example"))
        }
        #expect(HeaderForm.addresses(of: " " + raw).count == 1)
    }

    @Test func groups() {
        let ana = EmailAddress(email: "ana@example.com")
        let ben = EmailAddress(name: "Ben", email: "ben@example.com")
        #expect(
            HeaderForm.groups(of: " Friends: ana@example.com, Ben <ben@example.com>;, ana@example.com") == [
                EmailAddressGroup(name: "Friends", addresses: [ana, ben]),
                EmailAddressGroup(addresses: [ana]),
            ])
        #expect(
            HeaderForm.groups(of: " Friends: ana@example.com") == [
                EmailAddressGroup(name: "Friends", addresses: [ana])
            ])
        #expect(HeaderForm.addresses(of: " undisclosed-recipients: ;") == [])
        #expect(
            HeaderForm.groups(of: " A:ana@example.com;B:Ben <ben@example.com>;").map(\.name) == ["A", "B"])
    }

    @Test func aLongNameDoesNotHideTheAddress() throws {
        let name = String(repeating: "Your bank ", count: 6_000)
        for raw in ["\"\(name)\" <ana@example.com>", "\(name) ana@example.com", "ana@example.com (\(name))"] {
            let address = try #require(HeaderForm.addresses(of: raw).first)
            #expect(address.email == "ana@example.com")
            #expect(address.name?.unicodeScalars.count == 200)
            #expect(address.name?.hasSuffix("…") == true)
        }
        let encoded = String(repeating: "=?utf-8?q?Your_bank_?= ", count: 1500)
        let address = try #require(HeaderForm.addresses(of: "\(encoded) <ana@example.com>").first)
        #expect(
            address.name?.hasPrefix("Your bank Your bank ") == true && address.name?.hasSuffix("…") == true)
        let long = String(repeating: "a", count: 60_000) + "@example.com"
        #expect(HeaderForm.addresses(of: long) == [EmailAddress(email: long)])
        let group = try #require(HeaderForm.groups(of: "\(name): ana@example.com;").first)
        #expect(group.name?.unicodeScalars.count == 200)
    }

    /// A long list of recipients, and of what could be taken for them.
    @Test(arguments: [
        "\"User\" <user@example.com>, ", "=?utf-8?Q?J=C3=B6rg?= <j@example.com>,\r\n ", "a, ", "<a,", "<a ",
        "a:b;", "((", "\\\"", "\"(<", "@ ", "a@ ", "[", "a@[", "> <", "\"a\" ",
    ]) func time(_ piece: String) {
        let text = String(repeating: piece, count: 400_000 / piece.utf8.count)
        #expect(processorTime { _ = HeaderForm.addresses(of: text) } < .seconds(60))
    }
}
