import Testing

@testable import Sieve

@Suite("Scripts are read, checked and written again") struct LanguageTests {
    private static let sample = #"""
        # Bills go to a folder.
        require ["fileinto", "imap4flags"]; /* two
        lines */
        if anyof (header :contains "subject" ["invoice", "a \"quoted\" \\ word"], not size :over 100K) {
            # Marked as read.
            fileinto :flags "\\Seen" "Bills";
            stop;
            # Nothing after this.
        } elsif true {
        } else {
            keep;
        }
        redirect text:
        ..dots@example.org
        .
        ;
        # The end.
        """#

    @Test func aScriptIsWrittenAsItWasRead() throws {
        let script = try SieveScript(parsing: Self.sample)
        let again = try SieveScript(parsing: script.text)
        #expect(again == script)
        #expect(again.text == script.text)
        for comment in ["Bills go to a folder.", "two", "Marked as read.", "Nothing after this.", "The end."]
        {
            #expect(script.text.contains("# \(comment)"))
        }
        #expect(script.commands.last?.arguments == [.string(".dots@example.org\r\n")])
    }

    @Test func everyMadeScriptSurvives() throws {
        for number in stride(from: 0, to: ScriptMaker.count, by: 5) {
            let script = try SieveScript(parsing: ScriptMaker.made(number))
            #expect(try SieveScript(parsing: script.text) == script)
            _ = try SieveProgram(script)
        }
    }

    /// Each mistake with its line, its column and words of the sentence.
    @Test(arguments: [
        ("keep", 1, 5, "semicolon"), ("\n  foo;", 2, 3, "no command `foo`"),
        ("require \"fileinto\";\nfileinto 5;", 2, 10, "needs a string"),
        ("fileinto \"a\";", 1, 1, "require \"fileinto\""),
        ("if header :is \"a\" { keep; }", 1, 15, "2 values"), ("keep; }", 1, 7, "closes nothing"),
        ("if true { keep;", 1, 1, "no closing brace"), ("stop \"ä\" \u{0}", 0, 0, "UTF-8"),
        ("/* ä */ \"x", 1, 9, "no closing quotation mark"), ("else { }", 1, 1, "must follow an `if`"),
        ("require \"editheader\";", 1, 1, "change messages"),
        ("addheader \"a\" \"b\";", 1, 1, "`editheader`"),
        ("require [\"fileinto\", \"x-one\", \"x-two\"];", 1, 1, "`x-one`, `x-two`"),
        ("keep; require \"fileinto\";", 1, 7, "top of the script"),
        ("redirect \"no address\";", 1, 1, "not an address"),
        ("require \"regex\"; if header :regex \"a\" \"(\" { }", 1, 21, "regular expression"),
        ("if header :is :contains \"a\" \"b\" { }", 1, 15, "exclude each other"),
        ("keep 99999999999999999999;", 1, 6, "too large"),
        ("if address \"subject\" \"a\" { }", 1, 4, "use `header`"),
        ("require \"date\"; if date \"a\" \"era\" \"b\" { }", 1, 20, "no part `era`"),
        ("if not { }", 1, 4, "one test"), ("true;", 1, 1, "is a test"),
        ("require \"enotify\"; notify \"xmpp:a@b.c\";", 1, 20, "supported"),
        ("require \"foreverypart\"; break;", 1, 25, "within `foreverypart`"),
    ])
    func aMistakeIsNamedWithItsPlace(_ script: String, _ line: Int, _ column: Int, _ words: String) {
        do {
            _ = try SieveProgram(parsing: Array(script.utf8))
            Issue.record("There is no mistake in \(script)")
        } catch {
            #expect(error.message.contains(words), "\(error)")
            #expect(error.position.map { [$0.line, $0.column] } ?? [0, 0] == [line, column], "\(error)")
        }
    }

    @Test func whatIsTooMuchIsRefused() {
        func program(_ text: String) throws(SieveError) -> SieveProgram {
            try SieveProgram(parsing: Array(text.utf8))
        }
        let deep = String(repeating: "if true { ", count: 5_000) + String(repeating: "}", count: 5_000)
        #expect(throws: SieveError.self) { try program(deep) }
        let tests = "if " + String(repeating: "not ", count: 100_000) + "true { keep; }"
        #expect(throws: SieveError.self) { try program(tests) }
        #expect(throws: SieveError.self) { try program(String(repeating: "keep;", count: 30_000)) }
        #expect(throws: SieveError.self) { try program(String(repeating: " ", count: 2 << 20)) }
        #expect(throws: SieveError.self) {
            try program("if exists [\(String(repeating: "\"a\",", count: 3_000))\"a\"] { }")
        }
    }
}
