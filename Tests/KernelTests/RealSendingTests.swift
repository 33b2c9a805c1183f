import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@testable import Compose
@testable import Kernel

/// FR-COMP-01, FR-COMP-02, FR-COMP-04: what is written here, over a real submission server and a real IMAP server.
@Suite(
    "FR-COMP-02: sent by a real server", .serialized,
    .enabled(if: RealMail.isInstalled, "Dovecot is not installed, or Plugins/IMAPAccount is not built"),
    .timeLimit(.minutes(20)))
struct RealSendingTests {
    private func listening(_ kind: RealMail.Kind = .usual) async throws -> RealMail {
        let mail = try await RealMail(messages: 1, kind: kind)
        try await mail.test.start()
        try await mail.test.wait(for: "the first sync") {
            mail.test.kernel.accounts.status.all.statuses[mail.account.id]?.phase == .listening
        }
        return mail
    }

    private func content(_ mail: RealMail, _ subject: String) async throws -> DraftContent {
        let identities = try await mail.test.storage.identities(nil, in: mail.account.id)
        return DraftContent(
            identityID: try #require(identities.first).id,
            to: [EmailAddress(name: "Bob", email: "bob@example.test")], subject: subject, body: "Text")
    }

    /// Waits until the server's mailboxes hold so many messages.
    private func wait(
        _ mail: RealMail, drafts: Int, sent: Int, until isSo: @Sendable ([String]) -> Bool = { _ in true }
    ) async throws {
        try await mail.test.wait(for: "\(drafts) in Drafts and \(sent) in Sent at the server") {
            mail.test.clock.advance(by: 1)
            let there = try await mail.there()
            return there["Drafts"]?.count == drafts && there["Sent"]?.count == sent
                && isSo(there["Drafts"] ?? [])
        }
    }

    /// The messages in a user's inbox.
    private func received(_ address: String, _ mail: RealMail) async throws -> [Data] {
        let text = try await RealMail.run("other_client.py", ["read", "\(mail.service.imaps)", address])
        return try JSONDecoder().decode([String].self, from: Data(text.utf8)).compactMap {
            Data(base64Encoded: $0)
        }
    }

    @Test func aMessageArrivesOnceAndOtherProgramsReadIt() async throws {
        let mail = try await listening()
        let drafts = mail.test.kernel.drafts
        let upload = try await mail.test.kernel.blobs.upload(type: "text/x-thing", to: mail.account.id)
        try await upload.write(Data("caf\u{E9}\u{1}".utf8))
        try await upload.finish()
        var content = try await content(mail, "Grüße 👋🏽 שלום")
        content.html = "<p><b>Hallo</b> Grüße 👋🏽</p>"
        content.bcc = [EmailAddress(email: "carol@example.test")]
        content.attachments = [
            DraftAttachment(blobID: upload.id, name: "Übersicht “1”.thing", type: "text/x-thing", size: 0)
        ]
        let draft = try await drafts.create(content, in: mail.account.id)
        try await wait(mail, drafts: 1, sent: 0)
        let id = try await mail.test.kernel.sending.send(draft.id, in: mail.account.id, isFromPage: false).id
        try await wait(mail, drafts: 0, sent: 1)
        let submission = try #require(
            try await mail.test.storage.submissions([id], in: mail.account.id).first)
        #expect(submission.sendState == .sent && submission.deliveryStatus.count == 2)

        for address in ["bob@example.test", "carol@example.test"] {
            let messages = try await received(address, mail)
            #expect(messages.count == 1, "\(address)")
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "message.eml")
            try #require(messages.first).write(to: file)
            try await mail.test.kernel.readByPython(file)
            try await mail.test.kernel.readByPerl(file)
        }
        await mail.stop()
    }

    /// As Debian's Dovecot comes: what is written and sent is at the server all the same.
    @Test(
        "FR-COMP-01: a server with nothing but an inbox is given Drafts, Sent and Trash",
        arguments: [RealMail.Kind.bare, .old])
    func placesAreMadeWhereThereAreNone(_ kind: RealMail.Kind) async throws {
        let mail = try await listening(kind)
        let (test, account) = (mail.test, mail.account.id)
        let draft = try await test.kernel.drafts.create(try await content(mail, "Plan"), in: account)
        try await wait(mail, drafts: 1, sent: 0)
        _ = try await test.kernel.sending.send(draft.id, in: account, isFromPage: false)
        try await wait(mail, drafts: 0, sent: 1)
        let (inbox, archive, trash) = (
            try await test.mailbox(.inbox, of: account), try await test.mailbox(.archive, of: account),
            try await test.mailbox(.trash, of: account)
        )
        let query = EmailQuery(in: [account], filter: .inMailbox(inbox), limit: 1)
        let id = try #require(try await test.storage.queryEmails(query).hits.first).emailID
        // The archive is made with the first message that goes there, and can be taken out of at once.
        for (source, target, name) in [
            (inbox, archive, "Archive"), (archive, inbox, "INBOX"), (inbox, trash, "Trash"),
        ] {
            try await test.kernel.mail.update(
                [EmailUpdate(id, in: account, addMailboxes: [target], removeMailboxes: [source])], in: account
            )
            try await test.wait(for: "the same in \(name) there") {
                test.clock.advance(by: 1)
                let there = try await mail.there().filter { !$0.value.isEmpty }
                return there[name]?.count == 1 && there["Sent"]?.count == 1 && there.count == 2
            }
            await test.kernel.accounts.settle(account)
            #expect(try await test.email(id, of: account).mailboxIDs == [target])
        }
        #expect(try await test.kernel.notices.all().isEmpty)
        await mail.stop()
    }

    /// A user who is not writing on a draft gets the version of the other device; one who is, is asked.
    @Test(arguments: [true, false]) func aDraftIsChangedElsewhere(_ keepsOwn: Bool) async throws {
        let mail = try await listening()
        let (test, account) = (mail.test, mail.account.id)
        let draft = try await test.kernel.drafts.create(try await content(mail, "Plan"), in: account)
        try await wait(mail, drafts: 1, sent: 0)
        // It is no longer open.
        test.clock.advance(by: 61)
        _ = try await RealMail.run(
            "other_client.py", ["redraft", "\(mail.service.imaps)", RealMail.address, "1"])
        try await test.wait(for: "the other version") {
            test.clock.advance(by: 1)
            return try await test.kernel.drafts.saved(draft.id, in: account)?.content.body
                == "Written elsewhere 1"
        }
        await test.kernel.presence.opened("w1")
        _ = try await test.kernel.drafts.draft(draft.id, in: account)
        _ = try await RealMail.run(
            "other_client.py", ["redraft", "\(mail.service.imaps)", RealMail.address, "2"])
        try await test.wait(for: "the question") {
            test.clock.advance(by: 1)
            return try await test.kernel.drafts.saved(draft.id, in: account)?.conflict != nil
        }
        let settled = try await test.kernel.drafts.settleConflict(
            of: draft.id, in: account, keepingOwn: keepsOwn)
        #expect(settled.content.body == "Written elsewhere \(keepsOwn ? 1 : 2)" && settled.conflict == nil)
        // Its own version goes to the server, in the place of the other.
        try await wait(mail, drafts: 1, sent: 0) { ids in
            ids.allSatisfy { $0.contains("elsewhere2@other.test") != keepsOwn }
        }
        let id = try await test.kernel.sending.send(draft.id, in: account, isFromPage: false).id
        try await wait(mail, drafts: 0, sent: 1)
        #expect(try await test.storage.submissions([id], in: account).first?.sendState == .sent)
        let arrived = try #require(try await received("bob@example.test", mail).first)
        #expect(String(decoding: arrived, as: UTF8.self).contains("elsewhere \(keepsOwn ? 1 : 2)"))
        await mail.stop()
    }

    /// Refused for one of two, and then for all.
    @Test func whomTheServerRefusesIsTold() async throws {
        let mail = try await listening()
        for (names, state) in [(["bob", "nobody"], EmailSubmission.SendState.sent), (["nobody"], .failed)] {
            var content = try await content(mail, "To \(names)")
            content.to = names.map { EmailAddress(email: "\($0)@example.test") }
            let draft = try await mail.test.kernel.drafts.create(content, in: mail.account.id)
            let id = try await mail.test.kernel.sending.send(
                draft.id, in: mail.account.id, isFromPage: false
            ).id
            let (storage, account) = (mail.test.storage, mail.account.id)
            try await mail.test.wait(for: "\(state)") {
                mail.test.clock.advance(by: 1)
                return try await storage.submissions([id], in: account).first?.sendState == state
            }
            let submission = try #require(try await storage.submissions([id], in: account).first)
            let status = submission.deliveryStatus["nobody@example.test"]
            #expect(status?.delivered == .no && status?.smtpReply.hasPrefix("550 5.1.1") == true)
        }
        #expect(try await received("bob@example.test", mail).count == 1)
        await mail.stop()
    }
}

extension MailKernel {
    private static let python = """
        import email, email.policy, json, sys
        message = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
        print(json.dumps({
            "type": message.get_content_type(),
            "head": {name: str(message[name] or "") for name in ("To", "Subject", "Bcc")},
            "texts": {f"text/{kind}": message.get_body((kind,)).get_content() for kind in ("plain", "html")},
            "files": [[a.get_filename(), a.get_content_type(), a.get_payload(decode=True).decode("latin-1")]
                      for a in message.iter_attachments()],
            "problems": [str(d) for p in message.walk() for d in p.defects],
        }))
        """

    fileprivate func readByPython(_ file: URL) async throws {
        try await Self.check("python3", ["-c", Self.python, file.path])
    }

    fileprivate func readByPerl(_ file: URL) async throws {
        try await Self.check("perl", [RealMail.script("read_message.pl"), file.path])
    }

    private static func check(_ program: String, _ arguments: [String]) async throws {
        let read = try await Command.run(program, arguments)
        #expect(read.status == 0, "\(program): \(read.errors)")
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(read.output.utf8))
        #expect(json["type"] == "multipart/mixed" && json["problems"] == [], "\(program)")
        #expect(json["head"]?["To"] == "Bob <bob@example.test>", "\(program)")
        #expect(json["head"]?["Bcc"] == "" && json["head"]?["Subject"] == "Grüße 👋🏽 שלום", "\(program)")
        #expect(
            json["texts"]?["text/plain"]?.stringValue?.hasPrefix("Hallo Grüße 👋🏽") == true, "\(program)")
        #expect(
            json["texts"]?["text/html"]?.stringValue?.contains("<b>Hallo</b> Grüße") == true, "\(program)")
        // Read as Latin-1, so that every byte shows.
        let bytes = String(decoding: Data("caf\u{E9}\u{1}".utf8).map(UInt16.init), as: UTF16.self)
        #expect(json["files"] == [["Übersicht “1”.thing", "text/x-thing", .string(bytes)]], "\(program)")
    }
}
