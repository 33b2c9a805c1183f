import MailKernelAPI
import MessageFormat
import Testing

@Suite("Addresses that look like others") struct AddressLookTests {
    @Test(arguments: [
        ("a@xn--80ak6aa92e.com", "a@xn--80ak6aa92e.com", "apple.com"),
        ("a@аррӏе.com", "a@xn--80ak6aa92e.com", "apple.com"),
        ("a@pаypal.com", "a@xn--pypal-4ve.com", "paypal.com"),
        ("a@xn--pypal-4ve.com", "a@xn--pypal-4ve.com", "paypal.com"),
        ("a@ɡoogle.com", "a@xn--oogle-qmc.com", "google.com"),
        ("a@login.аррӏе.com", "a@login.xn--80ak6aa92e.com", "login.apple.com"),
        ("a@аррӏё.com", "a@xn--80a6aa2e97a.com", "apple.com"),
        ("a@pạypạl.com", "a@xn--pypl-5q5ac.com", "paypal.com"),
        ("a@ġoogle.com", "a@xn--oogle-v1a.com", "google.com"),
        ("a@paypał.com", "a@xn--paypa-o7a.com", "paypal.com"),
        ("a@banƙ.com", "a@xn--ban-h6a.com", "bank.com"),
        ("a@żabƙa.pl", "a@xn--aba-22a1m.pl", "żabka.pl"),
        ("a@paypaļ.com", "a@xn--paypa-n6a.com", "paypal.com"),
    ])
    func anImitationIsShownAsServersKnowIt(_ email: String, _ shown: String, _ imitated: String) throws {
        let look = EmailAddress(email: email).look
        #expect(look.email == shown)
        #expect(try #require(look.warning).hasSuffix("imitates \(imitated)."))
    }

    /// Letters of phonetic, medieval and other scripts that look like those of today.
    @Test(arguments: [
        "paypaꞁ", "faceƅook", "ȷpmorgan", "gⱺogle", "ᴍicrosoft", "linᴋedin", "giᴛhub", "ƿaypal",
    ])
    func lettersThatNoLanguageWritesWithAreMarked(_ name: String) {
        let look = EmailAddress(email: "a@\(name).com").look
        #expect(look.email.hasPrefix("a@xn--") && look.warning != nil)
    }

    @Test(arguments: ["a@bankбанк.com", "a@жplex.com"])
    func scriptsThatNoLanguageMixesAreMarked(_ email: String) throws {
        let look = EmailAddress(email: email).look
        #expect(look.email.utf8.allSatisfy { $0 < 0x80 } && look.email.hasPrefix("a@xn--"))
        #expect(try #require(look.warning).contains("different alphabets"))
    }

    @Test(arguments: [
        ("a@xn--mnchen-3ya.de", "a@münchen.de"), ("a@münchen.de", "a@münchen.de"),
        ("a@日本語.jp", "a@日本語.jp"), ("a@xn--wgv71a119e.jp", "a@日本語.jp"),
        ("a@xn--e1afmkfd.xn--p1ai", "a@пример.рф"), ("a@сахар.рф", "a@сахар.рф"),
        ("a@société.fr", "a@société.fr"), ("a@żabka.pl", "a@żabka.pl"), ("a@łódź.com.pl", "a@łódź.com.pl"),
        ("a@français.com", "a@français.com"), ("a@škoda.com", "a@škoda.com"),
        ("a@møller.com", "a@møller.com"),
        ("a@ışık.com.tr", "a@ışık.com.tr"), ("a@mạnh.vn", "a@mạnh.vn"), ("a@cœur.fr", "a@cœur.fr"),
        ("a@col·legi.cat", "a@col·legi.cat"), ("a@tőzsde.com", "a@tőzsde.com"), ("a@ёлка.com", "a@ёлка.com"),
        ("a@example.com", "a@example.com"), ("A@Example.COM", "A@example.com"),
        ("пётр@пример.рф", "пётр@пример.рф"), ("a@نامه\u{200C}ای.ir", "a@نامه\u{200C}ای.ir"),
    ])
    func honestNamesAreReadable(_ email: String, _ shown: String) {
        let look = EmailAddress(email: email).look
        #expect(look.email == shown)
        #expect(look.warning == nil)
    }

    @Test(arguments: ["service@paypal.com", "PayPal (service@paypal.com)", "“service＠paypal.com”"])
    func aNameWithAnotherAddressIsMarked(_ name: String) throws {
        let look = EmailAddress(name: name, email: "x@evil.example").look
        #expect(look.email == "x@evil.example")
        #expect(try #require(look.warning).contains("paypal.com"))
        #expect(EmailAddress(name: "x@Evil.example", email: "x@evil.example").look.warning == nil)
        #expect(EmailAddress(name: "Ana @ Work", email: "x@evil.example").look.warning == nil)
        #expect(
            EmailAddress(name: name, email: "").look.warning?.hasSuffix("There is no real address.") == true)
    }

    @Test(arguments: [
        "service@\u{FE0F}paypal.com", "service@\u{34F}paypal.com", "service@\u{332}paypal.com",
        "service@paypal\u{2024}com", "service@paypal\u{3002}com", "service@paypal.com.",
        "service\u{FE6B}paypal.com", "service@paypal·com", "service@paypal‧com", "service@paypal∙com",
        "service@paypal܂com", "service@paypal･com", "service@paypal•com", "serviceⓐpaypal.com",
        "\(String(repeating: "\u{200B}", count: 1100))service@paypal.com",
        "service @ paypal.com", "service@ paypal.com",
        "PayPal <service@paypal.c\u{301}om>", "service ＠ paypal ． com", "service ＠ paypal ．com",
        "service＠paypal ． com", "service @ paypal . com", "service ＠ paypal． com", "service ＠paypal ． com",
    ])
    func anAddressInANameIsSeenHoweverItIsWritten(_ name: String) {
        #expect(EmailAddress(name: name, email: "x@evil.example").look.warning != nil)
    }

    @Test(arguments: [
        "www.paypal.com", "https://paypal.com/", "PayPal (WWW.PayPal.com)", "http://paypal‧com",
    ])
    func aNameWithAWebAddressIsMarked(_ name: String) throws {
        let warning = try #require(EmailAddress(name: name, email: "x@evil.example").look.warning)
        #expect(warning.contains("paypal.com"))
        #expect(EmailAddress(name: name, email: "x@mail.paypal.com").look.warning == nil)
    }

    @Test func aCapitalIInAHostIsNoL() {
        #expect(EmailAddress(email: "Service@paypaI.com").look.email == "Service@paypai.com")
        #expect(HostLook("paypaI.com").shown == "paypai.com")
    }

    @Test(arguments: [
        "service@paypal.com@evil.example", "\"service@paypal.com\"@evil.example",
        "service＠paypal.com@evil.example",
        "service@paypal.com@mail.evil.example",
    ])
    func anAddressBeforeAnAddressIsMarked(_ email: String) throws {
        let warning = try #require(EmailAddress(email: email).look.warning)
        #expect(warning.contains("service@paypal.com") && warning.contains("evil.example"))
        #expect(EmailAddress(email: "\"a@x.example\"@x.example").look.warning == nil)
    }

    @Test(arguments: [
        ("Ana @ Shop.example", "ana@mail.shop.example"), ("Ana (ana@x.example.)", "ana@x.example"),
        ("@ana.lima", "notify@social.example"), ("Ana (@ana.lima)", "notify@social.example"),
        ("Ana @ Acme Inc. Berlin", "a@x.example"), ("Ana @ Shop . example", "ana@shop.example"),
        ("Ana @ home", "a@x.example"), ("Booking.com", "news@mail.example"), ("and/or", "a@x.example"),
        ("a @ b @ c", "a@x.example"),
    ])
    func otherNamesAreNot(_ name: String, _ email: String) {
        #expect(EmailAddress(name: name, email: email).look.warning == nil)
    }

    @Test(arguments: ["a@paypal\u{332}.com", "a@paypal\u{B7}com.evil.example"])
    func marksThatAreHardlySeenAreMarked(_ email: String) throws {
        let look = EmailAddress(email: email).look
        #expect(look.email.contains("xn--") && look.warning != nil)
        #expect(EmailAddress(email: "a@col·lecció.cat").look.warning == nil)
    }

    /// Browsers and servers take these, so what they look like counts.
    @Test(arguments: [
        "r1--x.аpple.com", "www.-аpple.com", "аpple-.com", "\(String(repeating: "b", count: 64)).аpple.com",
    ])
    func aHostThatBreaksRulesIsStillAnImitation(_ host: String) throws {
        let look = HostLook(host)
        #expect(look.shown.utf8.allSatisfy { $0 < 0x80 } && look.shown.contains("xn--"))
        #expect(try #require(look.warning).contains("imitates"))
    }

    @Test(arguments: [
        ("a\u{200B}b\u{202E}c\u{2066}d", "abcd"), ("Ana\u{3164}\u{2800}  \u{A0}\nLima", "Ana Lima"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("pay\u{200D}pal", "paypal"),
        ("\u{E0041}x", "x"), ("❤\u{FE0F}", "❤\u{FE0F}"),
    ])
    func whatCannotBeSeenIsLeftOut(_ text: String, _ shown: String) {
        #expect(ShownText.line(text) == shown)
    }

    @Test func marksOnALetterDoNotPileUpOverOtherLines() {
        let pile = String(repeating: "\u{301}\u{489}", count: 60).unicodeScalars
        let some = String(String.UnicodeScalarView(pile.prefix(4)))
        #expect(ShownText.line("B\(pile)ank") == "B\(some)ank")
        for honest in ["Việt", "שָּׁ֑לוֹם", "บ้านที่", "བསྒྲུབས", "2️⃣"] {
            #expect(ShownText.line(honest).unicodeScalars.elementsEqual(honest.unicodeScalars))
        }
    }

    @Test func anAddressThatIsNoneDoesNotHide() {
        let look = EmailAddress(email: "a@\u{202E}moc.lapyap").look
        #expect(!look.email.unicodeScalars.contains("\u{202E}"))
        #expect(EmailAddress(email: "a@xn--ä.com").look.warning != nil)
        #expect(
            EmailAddress(email: String(repeating: "ä", count: 5000) + "@ö.de").look.email.hasSuffix("@ö.de"))
    }
}
