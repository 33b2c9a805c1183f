import Testing

@testable import Sieve

@Suite("A script decides about a message") struct VerdictTests {
    private let message = RawMessage(
        "From: Bob <bob@example.net>\r\nTo: ada@example.org\r\nSubject: hello\r\nMessage-ID: <1@x>\r\n\r\nText\r\n"
    )

    private func verdict(_ script: String, host: PlainHost = PlainHost()) throws -> SieveVerdict {
        try SieveProgram(parsing: Array(script.utf8)).verdict(on: message, host: host)
    }

    @Test func nothingKeepsTheMessage() throws {
        #expect(try verdict("").actions == [.keep(flags: [], isImplicit: true)])
        #expect(try verdict("stop; discard;").actions == [.keep(flags: [], isImplicit: true)])
    }

    @Test func anActionNamesWhatLedToIt() throws {
        let script = """
            require ["fileinto", "imap4flags", "copy"];
            addflag "\\\\Flagged";
            fileinto :copy "Bills";
            fileinto :copy :flags "a" "Other";
            addflag "b";
            fileinto :copy "Bills";
            redirect :copy "a@example.org";
            """
        let verdict = try verdict(script)
        // The last is the message that is kept in the inbox.
        #expect(verdict.origins.map { $0.map(\.line) } == [[2, 3, 5, 6], [4], [7], [2, 5]])
        #expect(try self.verdict("").origins == [[]])
    }

    @Test func aDuplicateIsAskedForAndRemembered() throws {
        let script = "require \"duplicate\"; if duplicate :seconds 60 { discard; }"
        let first = try verdict(script)
        #expect(first.actions == [.keep(flags: [], isImplicit: true)])
        #expect(first.duplicateMarks.map(\.id) == ["<1@x>"])
        let second = try verdict(script, host: PlainHost(known: ["<1@x>"]))
        #expect(second.actions == [.discard])
        #expect(second.duplicateMarks.isEmpty)
    }

    @Test func aMessageWithoutSenderHasAnEmptyOne() throws {
        let script = "require \"envelope\"; if envelope :localpart \"from\" \"\" { discard; }"
        #expect(try verdict(script, host: PlainHost(envelope: SieveEnvelope(from: ""))).actions == [.discard])
    }

    @Test func aMailboxIsAskedFor() throws {
        let script = "require [\"mailbox\", \"fileinto\"]; if mailboxexists \"Bills\" { fileinto \"Bills\"; }"
        #expect(try verdict(script).actions == [.keep(flags: [], isImplicit: true)])
        let filed = try verdict(script, host: PlainHost(mailboxes: ["Bills"])).actions
        #expect(filed == [.fileInto(mailbox: "Bills", flags: [], create: false)])
    }

    /// Pigeonhole takes this for a match: the first text before a star is not looked for if a `?` is before it.
    @Test func aQuestionMarkIsOneCharacter() throws {
        #expect(try verdict("if header :matches \"subject\" \"?z*\" { discard; }").actions != [.discard])
        #expect(try verdict("if header :matches \"subject\" \"?e*\" { discard; }").actions == [.discard])
    }

    @Test(arguments: [
        "reject \"no\"; keep;", "vacation \"a\"; vacation \"b\";", "vacation \"a\"; reject \"b\";",
        "redirect \"a@a.example\"; redirect \"b@a.example\"; redirect \"c@a.example\"; redirect \"d@a.example\"; redirect \"e@a.example\";",
    ])
    func whatContradictsItselfIsAnError(_ commands: String) {
        #expect(throws: SieveError.self) { try verdict("require [\"reject\", \"vacation\"]; \(commands)") }
    }

    @Test func aHostileScriptEnds() throws {
        let pattern = String(repeating: "*a", count: 500) + "b"
        let hostile = RawMessage("Subject: \(String(repeating: "a", count: 20_000))\r\n\r\n")
        let matches = try SieveProgram(
            parsing: Array("if header :matches \"subject\" \"\(pattern)\" { discard; }".utf8))
        #expect(
            try matches.verdict(on: hostile, host: PlainHost()).actions == [
                .keep(flags: [], isImplicit: true)
            ])
        let growing = "set \"a\" \"${a}${a}${a}x\"; "
        let loop = """
            require ["variables", "foreverypart", "fileinto"]; foreverypart { \(String(repeating: growing, count: 300)) }
            fileinto "${a}";
            """
        let verdict = try verdict(loop)
        guard case .fileInto(let mailbox, _, _)? = verdict.actions.first else {
            Issue.record("not filed")
            return
        }
        #expect(mailbox.utf8.count <= SieveLimits().variableSize)
    }
}
