import Foundation
import MailKernelAPI
import MessageFormat
import Testing

/// RFC 8621, section 4.1.2.
@Suite("Header fields in JMAP's forms") struct HeaderFormTests {
    @Test(arguments: [
        (" Hello", "Hello"), ("Hello", "Hello"), ("  two\r\n\tlines ", "two\tlines "), ("", ""),
        (" =?utf-8?Q?caf=C3=A9?=", "café"), (" =?utf-8?Q?cafe=CC=81?=", "café"),
        (" =?utf-8?B?R3LDvA==?= =?utf-8?B?w59l?=", "Grüße"),
        (" =?utf-8?B?R3LDvMM=?=\r\n =?utf-8?B?n2U=?=", "Grüße"),
        (" a =?iso-8859-1?q?b=FC?= c", "a bü c"), (" =?iso-8859-1*de?Q?b=FC?=", "bü"),
        (" =?utf-8?Q?a=00b=0D=0Ac?=", "abc"), (" =?unheard-of?Q?b=FC?=", "bü"),
        (" =?utf-8?Q?unfinished", "=?utf-8?Q?unfinished"), (" =?utf-8?X?a?=", "=?utf-8?X?a?="),
        (" =?utf-8?Q?with space?=", "with space"), (" =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        (" =?utf-8?Q?=C3=A9=C3?=", "é\u{FFFD}"), (" =?gb2312?B?xOO6ww==?=", "你好"),
    ]) func text(_ raw: String, _ expected: String) {
        #expect(HeaderForm.text(of: raw) == expected)
    }

    /// The RFC's example, with its encoded word as it was meant.
    @Test func addressesAndGroups() {
        let raw = """
            "  James Smythe" <james@example.com>, Friends:\r
              jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=\r
              <john@example.com>;
            """
        let james = EmailAddress(name: "James Smythe", email: "james@example.com")
        let jane = EmailAddress(email: "jane@example.com")
        let john = EmailAddress(name: "John Smîth", email: "john@example.com")
        #expect(HeaderForm.addresses(of: raw) == [james, jane, john])
        #expect(
            HeaderForm.groups(of: raw) == [
                EmailAddressGroup(addresses: [james]),
                EmailAddressGroup(name: "Friends", addresses: [jane, john]),
            ])
    }

    @Test(arguments: [
        (" a@example.com (Ana)", [EmailAddress(name: "Ana", email: "a@example.com")]),
        (" \"a \\\"b\\\" c\" <a@example.com>", [EmailAddress(name: "a \"b\" c", email: "a@example.com")]),
        (
            " Last, First <a@example.com>",
            [EmailAddress(name: "Last, First", email: "a@example.com")]
        ),
        (" half", [EmailAddress(email: "half")]), ("", []), (" ,,", []),
        (" undisclosed-recipients:;", []),
        (" \"=?utf-8?Q?J=C3=B6rg?=\" <j@example.com>", [EmailAddress(name: "Jörg", email: "j@example.com")]),
        (" =?utf-8?Q?a=2Cb?= <j@example.com>", [EmailAddress(name: "a,b", email: "j@example.com")]),
        (" Jörg <jörg@example.com>", [EmailAddress(name: "Jörg", email: "jörg@example.com")]),
    ]) func addresses(_ raw: String, _ expected: [EmailAddress]) {
        #expect(HeaderForm.addresses(of: raw) == expected)
    }

    @Test(
        arguments: [
            (" <a@b>", ["a@b"]), (" <a@b> <c@d>\r\n <e@f>", ["a@b", "c@d", "e@f"]),
            (" (x) <a@b> (y)", ["a@b"]),
            (" <a\r\n b@c>", ["ab@c"]), (" a@b", ["a@b"]), (" nothing", nil), ("", nil), (" <>", nil),
            (" Your message of Monday <a@b>", ["a@b"]), (" <a(b)@c>", ["a(b)@c"]),
        ] as [(String, [String]?)]) func messageIDs(_ raw: String, _ expected: [String]?)
    {
        #expect(HeaderForm.messageIDs(of: raw) == expected)
    }

    @Test(
        arguments: [
            (
                " <mailto:list@example.com?subject=help>, <https://example.com/a,b> (page)",
                ["mailto:list@example.com?subject=help", "https://example.com/a,b"]
            ),
            (" NO", nil), ("", nil), (" (not <this>) <http://x>", ["http://x"]),
        ] as [(String, [String]?)]) func urls(_ raw: String, _ expected: [String]?)
    {
        #expect(HeaderForm.urls(of: raw) == expected)
    }

    @Test(arguments: [
        (" Sat, 21 Nov 2026 13:00:00 +0100", 1_795_262_400, 3600),
        (" 21 Nov 2026 13:00 +0000", 1_795_266_000, 0), (" Sat, 21 Nov 26 13:00:00 GMT", 1_795_266_000, 0),
        (" Sat, 21 Nov 2026 08:00:00 EST", 1_795_266_000, -18_000),
        (" Sat, 21 Nov 2026 08:00:00 -0500 (EST)", 1_795_266_000, -18_000),
        (" Thu, 1 Jan 70 00:00:00 Z", 0, 0), (" Fri, 1 Jan 99 00:00:00 +0000", 915_148_800, 0),
        (" Sat Nov 21 13:00:00 2026", 1_795_266_000, 0),
        (" Sat, 21 Nov 2026 13.00.00 +0100", 1_795_262_400, 3600),
        (" 21 Nov 2026 13.00 +0000", 1_795_266_000, 0),
    ]) func date(_ raw: String, _ seconds: Int, _ offset: Int) {
        let date = HeaderForm.date(of: raw)
        #expect(date == HeaderDate(date: Date(timeIntervalSince1970: Double(seconds)), offset: offset))
    }

    @Test(arguments: [" never", "", " 99 Foo 2026", " Sat, 31 Feb 99999 00:00:00 +0000", " \u{0}"])
    func noDate(_ raw: String) {
        #expect(HeaderForm.date(of: raw) == nil)
    }

    /// Each field that an RFC defines has one parsed form; all others have any.
    @Test func onlyFormsThatMakeSense() {
        #expect(HeaderForm.text.isAllowed(for: "Subject"))
        #expect(HeaderForm.text.isAllowed(for: "list-ID"))
        #expect(!HeaderForm.text.isAllowed(for: "From"))
        #expect(!HeaderForm.addresses.isAllowed(for: "Subject"))
        #expect(HeaderForm.groupedAddresses.isAllowed(for: "Resent-Cc"))
        #expect(HeaderForm.messageIDs.isAllowed(for: "References"))
        #expect(!HeaderForm.date.isAllowed(for: "References"))
        #expect(HeaderForm.date.isAllowed(for: "Resent-Date"))
        #expect(HeaderForm.urls.isAllowed(for: "List-Post"))
        #expect(!HeaderForm.urls.isAllowed(for: "Received"))
        for form in HeaderForm.allCases {
            #expect(form.isAllowed(for: "X-Own"))
            #expect((form == .raw) == form.isAllowed(for: "Return-Path"))
        }
    }
}
