import FoundationEssentials
import Testing

@testable import MessageFormat

@Suite("Charsets as programs use them") struct CharsetTests {
    private func text(_ bytes: [UInt8], _ name: String) -> String {
        Charset(name: name).text(bytes.span).text
    }

    private func escaped(_ written: String) -> [UInt8] {
        Array(written.replacing("^", with: "\u{1B}").utf8)
    }

    @Test(arguments: [
        ("^$B-j-!^(B end", "㈱① end"), ("^$BF|K\\^(B", "日本"), ("^(I12^(B", "ｱｲ"), ("^$By!|n^(B", "纊黑"),
        ("^$(D0!^(B z", "丂 z"), ("^$(Q0!^(B", "亜"), ("^$AVPND^(B", "中文"), ("^.A^Nd", "ä"),
        ("^(J\\~^(B", "¥‾"), ("^$BF|", "日"),
        // A pair that is not in the table is skipped as a pair.
        ("^$BF|)!K\\^(B!", "日\u{FFFD}本!"), ("^$BF|K^(B!", "日\u{FFFD}!"),
    ]) func windowsJapaneseInSevenBits(_ written: String, _ expected: String) {
        let names = "iso-2022-jp iso-2022-jp-ms cp50220 cp50221 cp50222 jis us-ascii utf-8"
        for name in names.split(separator: " ").map(String.init)
        where written.hasPrefix("^$B") || name.hasPrefix("iso") {
            #expect(text(escaped(written), name) == expected, "\(name)")
        }
    }

    @Test func koreanAndChineseInSevenBits() {
        #expect(text(escaped("^$)C\u{0E}GQ19\u{0F} a"), "iso-2022-kr") == "한국 a")
        #expect(text(escaped("^$)A\u{0E}VPND\u{0F} a"), "iso-2022-cn") == "中文 a")
    }

    @Test(
        arguments: [
            ("euc-jp", [0xAD, 0xEA, 0xC6, 0xFC, 0x8E, 0xB1], "㈱日ｱ"), ("euc-jp", [0xA4, 0x41], "\u{FFFD}A"),
            ("euc-kr", [0xC9, 0xA1, 0xC7, 0xD1], "\u{FFFD}한"),
            ("utf-16le", [0x3D, 0xD8, 0x61, 0x00, 0x62, 0x00], "\u{FFFD}ab"),
        ] as [(String, [UInt8], String)])
    func anInvalidCharacterDoesNotShiftTheRest(_ name: String, _ bytes: [UInt8], _ expected: String) {
        #expect(text(bytes, name) == expected)
    }

    @Test(
        arguments: [
            ("korean ks_c_5601-1989 ksc_5601 iso-ir-149 csksc56011987 cp51949 cseuckr", [0xC7, 0xD1], "한"),
            (
                "chinese gb_2312 gb-2312 iso-ir-58 csiso58gb231280 cp51936 gb18030-2022 gb_18030",
                [0xC4, 0xE3], "你"
            ),
            ("csbig5 ms950 chinesebig5 x-x-big5", [0xA7, 0x41], "你"),
            ("csisolatin9 latin0 l9", [0xA4], "€"), ("csiso88596e csiso88596i", [0xD9], "ع"),
            ("csiso88598e csiso88598i logical", [0xF9], "ש"), ("koi koi8_r cp20866", [0xC4], "д"),
            ("sun_eu_greek csisolatingreek", [0xE1], "α"), ("win1251 x-cp1251 cp-1251", [0xE4], "д"),
            ("cp943 ms932 x-sjis", [0x93, 0xFA], "日"), ("cp51932 x-euc-jp", [0xC6, 0xFC], "日"),
            ("8859-2 cp28592 l2", [0xB1], "ą"),
            ("l1 ibm819 cp819 iso-ir-100 csisolatin1 iso_8859-1:1987 Latin-1", [0x80], "€"),
            ("cp52936 hz", [0x7E, 0x7B, 0x44, 0x63, 0x7E, 0x7D], "你"),
            ("cp65001 65001 csutf8", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func registeredNamesAreKnown(_ names: String, _ bytes: [UInt8], _ expected: String) {
        for name in names.split(separator: " ") {
            #expect(text(bytes, String(name)) == expected, "\(name)")
            #expect(text(bytes, name.uppercased()) == expected, "\(name)")
        }
    }

    @Test func anUnknownNameIsGuessed() {
        #expect(text(Array("Привет".utf8), "unheard-of") == "Привет")
        #expect(text([0x47, 0x72, 0xF6, 0xDF, 0x65], "unheard-of") == "Größe")
        #expect(HeaderForm.text(of: " =?unheard-of?Q?Gr=C3=B6=C3=9Fe?=") == "Größe")
    }

    @Test func anotherScriptUnderAnUnknownNameIsRecognized() {
        let russian = """
            Добрый день! Высылаю вам документы на подпись, жду вашего ответа и надеюсь, что в этот раз мы все \
            успеем сделать вовремя, как и было решено на прошлой неделе.
            """
        let windows = russian.unicodeScalars.map { letter in
            UInt8(letter.value < 0x80 ? letter.value : letter.value - 0x0410 + 0xC0)
        }
        #expect(text(windows, "unheard-of") == russian)
    }

    @Test func utf16WithoutASCIIIsRead() {
        let russian = "Привет".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(text(russian, "utf-16be") == "Привет")
        #expect(text(Array("Hello, привет".utf8), "utf-16") == "Hello, привет")
    }

    @Test(arguments: ["gb2312", "big5", "euc-kr", "euc-jp", "shift_jis", "iso-2022-jp"])
    func utf8UnderTheNameOfAnotherCharset(_ name: String) {
        for written in ["你好", "Привет, мир", "한국어 본문"] {
            #expect(text(Array(written.utf8), name) == written)
        }
    }

    @Test func windowsTextUnderTheNameOfUTF8() {
        #expect(text([0xC9, 0xBB, 0x20, 0xE9, 0x20, 0xFC, 0x20, 0xDF], "utf-8") == "É» é ü ß")
        #expect(text([0xC3, 0xA9, 0xFF], "utf-8") == "é\u{FFFD}")
        #expect(text(Array("yötä ".utf8) + [0x8A, 0xE8, 0x9E], "utf-8").hasPrefix("yötä \u{FFFD}"))
    }
}
