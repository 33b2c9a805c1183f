import Foundation
import TestSupport
import Testing

@Suite("The API's fingerprint changes with everything but comments and spacing") struct FingerprintTests {
    @Test(arguments: [
        (#"let a = "http://x.org""#, #"let a = "http://y.org""#),
        (#"let a = "//" // x"#, #"let a = "/" // x"#),
        (#"let a = "/* b */""#, #"let a = "/* c */""#),
        (#"let a = "b c""#, #"let a = "bc""#),
        (#"let a = "b c""#, #"let a = "b  c""#),
        (#"let a = "\" // b""#, #"let a = "\" // c""#),
        (##"let a = #"\"# // "b""##, ##"let a = #"\ "# // "b""##),
        (##"let a = #"" // b"#"##, ##"let a = #"" // c"#"##),
        (#"let a = "\(b("//", "c")) // d""#, #"let a = "\(b("//", "c")) // e""#),
        (#"let a = "\(b("c d"))""#, #"let a = "\(b("cd"))""#),
        ("let a = \"\"\"\n    b \"c\" // d\n    \"\"\"", "let a = \"\"\"\n    b \"c\" // e\n    \"\"\""),
        ("let a = \"\"\"\n    b\n    c\n    \"\"\"", "let a = \"\"\"\n    b\n\n    c\n    \"\"\""),
        ("let a = \"\"\"\nb \\\"\"\" // c\n\"\"\"", "let a = \"\"\"\nb \\\"\"\" // d\n\"\"\""),
        ("let a = #/b//c/#", "let a = #/b//d/#"),
        ("/* a /* b */ c */ let d = 1", "/* a /* b */ c */ let d = 2"),
        ("let a = 1", "let a = 2"),
        ("case ab", "case a, b"),
    ])
    func aChangeCounts(_ before: String, _ after: String) async throws {
        #expect(try await fingerprint(before) != fingerprint(after))
    }

    @Test(arguments: [
        ("let a = 1", "let a = 1 // a comment"),
        ("let a = 1 // a", "let a = 1 // another \"comment\""),
        ("/// a\nlet a = 1", "/// another\n/// comment\nlet a = 1"),
        ("let a = 1", "/* a /* nested */ \"comment\n */ let a = 1"),
        (#"let a = "\(b) \\" // c"#, #"let a = "\(b) \\" // d"#),
        (##"let a = #"\"# // b"##, ##"let a = #"\"# // c"##),
        ("let a = \"\"\"\n    b\n    \"\"\" // c", "let a = \"\"\"\n    b\n    \"\"\" // d"),
        ("{\n    let a = 1\n}", "{\n  let a = 1\n}"),
        ("func a(b: C, d: E)", "func a(\n    b: C, d: E\n)"),
        (#"let a = "\(b + c)""#, #"let a = "\( b+c )""#),
        ("let a = 1\n\n\nlet b = 2", "let a = 1\nlet b = 2\n"),
    ])
    func aCommentOrSpacingDoesNotCount(_ before: String, _ after: String) async throws {
        #expect(try await fingerprint(before) == fingerprint(after))
    }

    @Test func oneFileDoesNotHideTheNext() async throws {
        let endless = "let a = \"\"\"\n"
        let before = try await fingerprint(endless, "let b = 1 // c")
        #expect(try await fingerprint(endless, "let b = 1 // d") == before)
        #expect(try await fingerprint(endless, "let b = 2 // c") != before)
    }

    @Test func commentsOfCAreNotNested() async throws {
        let before = try await fingerprint("/* a /* b */ int c;", named: "h")
        #expect(try await fingerprint("/* a */ int c;", named: "h") == before)
        #expect(try await fingerprint("/* a /* b */ int d;", named: "h") != before)
    }

    private func fingerprint(_ sources: String..., named suffix: String = "swift") async throws -> String {
        let folder = try TemporaryFolder()
        let files = try sources.enumerated().map { number, text in
            try folder.write(text + "\n", to: "\(number).\(suffix)").path
        }
        let output = folder.url.appending(path: "out.swift")
        let script = Checkout.root.appending(path: "Sources/MailKernelAPI/fingerprint.sh")
        let made = try await Command.run("sh", [script.path, output.path] + files)
        #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        let text = try String(contentsOf: output, encoding: .utf8)
        return String(try #require(text.firstMatch(of: /mailkernel-api-[0-9a-f]{32}/)).0)
    }
}
