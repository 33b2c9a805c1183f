import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// On the bundled plugins: what is proven is that mail arrives, whole and once.
@Suite("mailkernel import") struct ImportTests {
    private let installed: Installed
    private let sources: TemporaryFolder

    init() throws {
        installed = try Installed(plugins: [Checkout.root.appending(path: "Plugins")])
        sources = try TemporaryFolder()
    }

    private func message(_ number: Int, _ extra: String = "", body: String = "Hello.\n") -> String {
        "Message-ID: <\(number)@import.example>\n\(extra)From: Ana <ana@import.example>\n"
            + "Subject: Number \(number)\nDate: Mon, 20 Nov 2023 10:00:00 +0000\n\n\(body)"
    }

    private func mbox(_ messages: [String]) -> String {
        messages.map { "From 1781@xxx Mon Nov 20 10:00:00 +0000 2023\n\($0)\n" }.joined()
    }

    private func keptFiles() -> [String] {
        let root = installed.data.appending(path: "plugins/org.mailkernel.local/accounts").path
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".eml") }.map { "\(root)/\($0)" }
    }

    /// The messages that are kept, byte for byte.
    private func kept() throws -> [String] {
        try keptFiles().map { try String(contentsOfFile: $0, encoding: .utf8) }.sorted()
    }

    @Test func anMboxComesInByteForByteAndOnce() async throws {
        let messages = [
            message(1), message(2, body: "From the beginning:\n> here\n\nFrom nobody\n"), message(3),
        ]
        try sources.write(mbox(messages), to: "all.mbox")
        let path = sources.url.path + "/all.mbox"
        let first = try await installed.run("import", path)
        #expect(first.status == 0 && first.output.contains("3 messages imported from all.mbox"))
        #expect(try kept() == messages.sorted())
        let again = try await installed.run("import", path)
        #expect(
            again.output.contains("0 messages imported") && again.output.contains("3 already there")
        )
        #expect(try kept().count == 3)
    }

    /// The store keeps the cursors of a damaged database, and not the mail: it is read again.
    @Test(.timeLimit(.minutes(10))) func mailComesBackAfterTheStoreWasDamaged() async throws {
        try sources.write(mbox((1...20).map { message($0) }), to: "all.mbox")
        _ = try await installed.run("import", sources.url.path + "/all.mbox")
        while try await MailAtRest(installed).count != 20 { continue }
        let store = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
        let found = FileManager.default.enumerator(atPath: store.path)?.compactMap { $0 as? String } ?? []
        let database = store.appending(path: try #require(found.first { $0.hasSuffix("mail.db") }))
        try Data().write(to: database.deletingLastPathComponent().appending(path: "damaged"))
        while try await MailAtRest(installed).count != 20 { continue }
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).isEmpty == false)
    }

    @Test func labelsOfTakeoutBecomeMailboxes() async throws {
        let labels = "X-Gmail-Labels: =?UTF-8?Q?Posteingang,Ungelesen,\"Reisen,_2026\",Arbeit/Kunden?=\n"
        try sources.write(
            mbox([message(1, labels), message(2, "X-Gmail-Labels: Archived,Opened\n")]), to: "t.mbox")
        _ = try await installed.run("import", sources.url.path + "/t.mbox")
        let mail = try await MailAtRest(installed)
        #expect(mail.mailboxes(ofSubject: "Number 1") == ["Inbox", "Reisen, 2026", "Kunden"])
        #expect(mail.mailboxes(ofSubject: "Number 2") == ["Archive"])
        #expect(mail.isSeen(subject: "Number 1") == false && mail.isSeen(subject: "Number 2") == true)
    }

    @Test func aMaildirKeepsItsFlagsAndFolders() async throws {
        try sources.write(message(1), to: "mail/cur/1.host:2,FS")
        try sources.write(message(2), to: "mail/.Work.2024/new/2.host")
        _ = try await installed.run("import", sources.url.path + "/mail")
        let mail = try await MailAtRest(installed)
        #expect(
            mail.mailboxes(ofSubject: "Number 1") == ["Inbox"] && mail.isSeen(subject: "Number 1") == true)
        #expect(
            mail.mailboxes(ofSubject: "Number 2") == ["2024"] && mail.isSeen(subject: "Number 2") == false)
    }

    @Test func whatCannotBeReadIsSaidAndPassedBy() async throws {
        try sources.write(message(1), to: "mail/one.eml")
        try sources.write("", to: "mail/empty.eml")
        let result = try await installed.run("import", sources.url.path + "/mail")
        #expect(result.status == 2 && result.output.contains("1 message imported"))
        #expect(
            result.output.contains("1 skipped:") && result.output.contains("empty.eml: the file is empty")
        )
    }

    /// Each skipped file is named with its reason, and scripts see it by the exit code.
    @Test func ofSeveralSourcesTheGoodOnesAreRead() async throws {
        try sources.write("From - \n\(message(1))\nFrom \n\(message(2))", to: "mail/Work.mbox")
        try sources.write("%PDF-1.7", to: "mail/invoice.pdf")
        try sources.write("%PDF-1.7", to: "bill.pdf")
        let folder = try await installed.run("import", sources.url.path + "/mail")
        #expect(folder.status == 2 && folder.output.contains("2 messages imported from mail"))
        #expect(folder.output.contains("  invoice.pdf: it is a PDF document"))
        let both = try await installed.run(
            "import", sources.url.path + "/bill.pdf", sources.url.path + "/mail/Work.mbox")
        #expect(both.status == 2 && both.output.contains("bill.pdf: it is a PDF document"))
        #expect(both.output.contains("2 already there"))
        let none = try await installed.run("import", sources.url.path + "/bill.pdf")
        #expect(none.status == 1 && none.errors.contains("it is a PDF document"))
        #expect(try kept() == [message(1), message(2)])
        let mail = try await MailAtRest(installed)
        #expect(mail.mailboxes(ofSubject: "Number 1") == ["Work"])
    }

    @Test func whatIsNoMailIsRefusedWhole() async throws {
        try sources.write("Dear diary, this is no mail.\n", to: "diary.txt")
        let text = try await installed.run("import", sources.url.path + "/diary.txt")
        #expect(text.status == 1 && text.errors.contains("There is no mail in"))
        let missing = try await installed.run("import", sources.url.path + "/nothing")
        #expect(missing.status == 1 && missing.errors.contains("nothing” does not exist."))
        #expect(try kept().isEmpty)
    }

    @Test func anImportThatIsKilledGoesOnWhereItWas() async throws {
        let messages = (1...10_000).map { message($0, body: String(repeating: "Line \($0).\n", count: 30)) }
        try sources.write(mbox(messages), to: "many.mbox")
        let path = sources.url.path + "/many.mbox"
        for part in 1...4 {
            let command = try installed.start("import", path)
            // Nothing reports when a message has been kept; should the command end instead, the rest fails.
            try await polling(until: "\(part * 2000) messages are kept") {
                keptFiles().count >= part * 2000 || kill(command.processID, 0) != 0
            }
            command.signal(SIGKILL)
            _ = await command.result()
        }
        let last = try await installed.run("import", path)
        #expect(last.status == 0)
        #expect(try kept() == messages.sorted())
        #expect(try await MailAtRest(installed).count == 10_000)
    }

    @Test func theRunningProgramImportsForTheCommand() async throws {
        try sources.write(mbox([message(1), message(2)]), to: "two.mbox")
        let program = try installed.start()
        #expect(await program.line(containing: "Open http"))
        let result = try await installed.run("import", sources.url.path + "/two.mbox")
        #expect(result.status == 0 && result.output.contains("2 messages imported from two.mbox"))
        let unknown = try await installed.run(
            "import", sources.url.path + "/two.mbox", "--account", "x@y.example")
        #expect(unknown.status == 1 && unknown.errors.contains("There is no account “x@y.example”"))
        try sources.write("%PDF-1.7", to: "mail/invoice.pdf")
        try sources.write("", to: "mail/empty.eml")
        try sources.write(message(1), to: "mail/one.eml")
        let part = try await installed.run(
            "import", sources.url.path + "/mail", sources.url.path + "/nothing")
        #expect(part.status == 2 && part.output.contains("2 skipped:"))
        #expect(
            part.output.contains("invoice.pdf: it is a PDF document")
                && part.output.contains("/nothing” does not exist."))
        let none = try await installed.run("import", sources.url.path + "/mail/empty.eml")
        #expect(none.status == 1 && none.output.contains("empty.eml: the file is empty"))
        program.signal(SIGTERM)
        #expect(await program.result().status == 0)
        #expect(try kept().count == 2)
    }
}
