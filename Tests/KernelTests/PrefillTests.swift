import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@testable import Compose

/// FR-COMP-01: the table of composition modes.
@Suite("FR-COMP-01: what the composer begins with") struct PrefillTests {
    private let zone = TimeZone(secondsFromGMT: 0)

    private func content(
        _ mode: DraftContent.Mode, _ header: String, _ text: String = "Text\r\n", own: [String] = [],
        in role: Mailbox.Role = .inbox
    ) async throws -> DraftContent {
        let test = try await TestKernel(isStarted: false)
        try await test.start()
        await test.settle()
        for address in own {
            let identity = Identity(
                id: Id("Iown" + String(address.utf8.count)), accountID: test.ada, name: "", email: address)
            try await test.kernel.store.commit([.putIdentity(identity)])
        }
        let message = header.replacing("\n", with: "\r\n") + "\r\n\r\n" + text
        let mailbox = try await test.mailbox(role)
        let email = try await test.kernel.mail.add(
            Data(message.utf8), to: [mailbox], keywords: [], receivedAt: test.clock.now, in: test.ada)
        var prefill = test.kernel.prefill
        prefill.zone = try #require(zone)
        return try #require(try await prefill.content(mode, of: email.email.id, in: test.ada))
    }

    private static let header = """
        From: Bob <bob@example.net>
        To: Ada <Ada@Example.org>, Cleo <cleo@example.net>
        Cc: "ada+news"@example.org, Dan <dan@example.net>, CLEO@example.net
        Subject: Engines
        Date: Sat, 21 Nov 2026 16:43:00 +0000
        Message-ID: <m2@example.net>
        References: <m0@example.net> <m1@example.net>
        """

    @Test func replyGoesToTheSender() async throws {
        let content = try await content(.reply, Self.header, "One\r\n\r\n> two\r\n")
        #expect(content.to == [EmailAddress(name: "Bob", email: "bob@example.net")] && content.cc.isEmpty)
        #expect(content.subject == "Re: Engines" && content.attachments.isEmpty)
        #expect(content.body == "\nOn Sat, 21 Nov 2026 at 16:43, Bob wrote:\n> One\n>\n>> two")
        #expect(
            content.html
                == "<p><br></p><div class=\"moz-cite-prefix\">On Sat, 21 Nov 2026 at 16:43, Bob wrote:</div>"
                + "<blockquote type=\"cite\"><p>One</p><blockquote type=\"cite\"><p>two</p></blockquote>"
                + "</blockquote>")
        #expect(content.inReplyTo == ["m2@example.net"])
        #expect(content.references == ["m0@example.net", "m1@example.net", "m2@example.net"])
    }

    @Test func replyAllLeavesOutAllOwnAddresses() async throws {
        let content = try await content(.replyAll, Self.header, own: ["dan@example.net"])
        #expect(content.to.map(\.email) == ["bob@example.net"])
        #expect(content.cc.map(\.email) == ["cleo@example.net"])
    }

    @Test func replyToIsRespected() async throws {
        let content = try await content(.reply, Self.header + "\nReply-To: office@example.net")
        #expect(content.to.map(\.email) == ["office@example.net"])
    }

    @Test func aListIsAnsweredWithAllAndItsAuthorAlone() async throws {
        let header =
            Self.header + "\nReply-To: list@lists.example\nList-Post: <mailto:list@lists.example?subject=x>"
        #expect(try await content(.reply, header).to.map(\.email) == ["bob@example.net"])
        let all = try await content(.replyAll, header)
        #expect(all.to.map(\.email) == ["list@lists.example"])
        #expect(all.cc.map(\.email) == ["cleo@example.net", "dan@example.net"])
        let unnamed = try await content(.replyAll, Self.header + "\nList-Post: <mailto:list@lists.example>")
        #expect(unnamed.cc.map(\.email).contains("list@lists.example"))
    }

    @Test func ownMailIsGoneOnWith() async throws {
        let header = """
            From: ada@example.org
            To: Bob <bob@example.net>
            Cc: cleo@example.net
            Subject: x
            """
        #expect(try await content(.reply, header, in: .sent).to.map(\.email) == ["bob@example.net"])
        let all = try await content(.replyAll, header, in: .sent)
        #expect(all.to.map(\.email) == ["bob@example.net"] && all.cc.map(\.email) == ["cleo@example.net"])
    }

    /// Anyone can write the user's address as the sender, and choose who would get the answer.
    @Test func mailThatOnlyClaimsToBeOwnIsNotGoneOnWith() async throws {
        let forged = "From: ada@example.org\nTo: x@evil.example\nSubject: x"
        #expect(try await content(.reply, forged).to.map(\.email) == ["ada@example.org"])
    }

    @Test func forwardHasTheHeaderAndTheAttachments() async throws {
        let body = """
            --x\r
            Content-Type: text/plain\r
            \r
            Look.\r
            --x\r
            Content-Type: image/png; name=a.png\r
            Content-Disposition: attachment; filename=a.png\r
            Content-Transfer-Encoding: base64\r
            \r
            iVBORw0KGgo=\r
            --x\r
            Content-Type: text/plain; name=b.txt\r
            Content-Disposition: attachment; filename=b.txt\r
            \r
            Words\r
            --x--\r

            """
        let header = Self.header + "\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x"
        let content = try await content(.forward, header, body)
        #expect(content.recipients.isEmpty && content.subject == "Fwd: Engines")
        #expect(content.inReplyTo.isEmpty && content.references.isEmpty)
        #expect(
            content.body.hasPrefix(
                """

                ---------- Forwarded message ----------
                From: Bob <bob@example.net>
                Date: Sat, 21 Nov 2026 at 16:43
                Subject: Engines
                To: Ada <Ada@Example.org>, Cleo <cleo@example.net>
                """))
        #expect(content.body.hasSuffix("\n\nLook."))
        #expect(content.attachments.map(\.name) == ["a.png", "b.txt"])
        #expect(content.attachments.map(\.size) == [8, 5])
    }

    @Test(arguments: [
        ("To: alias@example.org", "alias@example.org"), ("To: alias+shop@example.org", "alias@example.org"),
        ("To: list@lists.example\nDelivered-To: alias@example.org", "alias@example.org"),
        ("To: ada+alias@example.org", "ada@example.org"),
        (
            "To: list@lists.example\nX-Original-To: alias@example.org\nDelivered-To: ada@example.org",
            "alias@example.org"
        ),
        ("To: list@lists.example", "ada@example.org"),
    ]) func theAnswerComesFromTheAddressThatWasWrittenTo(_ fields: String, _ address: String) async throws {
        let header = "From: bob@example.net\nSubject: x\n\(fields)"
        let content = try await content(.reply, header, own: ["alias@example.org"])
        #expect((content.identityID == Id("Iown17")) == address.hasPrefix("alias"))
    }

    private static let page = """
        --x\r
        Content-Type: text/html\r
        \r
        <style>p{}</style><p>Look <img src="cid:a/b@c"> <img src="https://x.example/a.png"></p>\
        <div class="gmail_signature">Bob</div>\r
        --x\r
        Content-Type: image/png; name=a.png\r
        Content-ID: <a/b@c>\r
        Content-Disposition: inline; filename=a.png\r
        Content-Transfer-Encoding: base64\r
        \r
        iVBORw0KGgo=\r
        --x\r
        Content-Type: text/plain; name=b.txt\r
        Content-Disposition: attachment; filename=b.txt\r
        \r
        Words\r
        --x--\r

        """

    @Test func formattingAndImagesOfTheOriginalAreQuoted() async throws {
        let header = Self.header + "\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x"
        let reply = try await content(.reply, header, Self.page)
        let html = try #require(reply.html)
        let quote = "<p>Look <img src=\"cid:part-2\"> <img data-src=\"https://x.example/a.png\"></p>"
        #expect(html.hasSuffix("<blockquote type=\"cite\">\(quote)</blockquote>"), "\(html)")
        #expect(reply.attachments.map(\.cid) == ["part-2"] && reply.attachments.map(\.isInline) == [true])
        let forward = try await content(.forward, header, Self.page)
        #expect(forward.html?.contains(quote) == true && forward.html?.contains("Bob") == true)
        #expect(forward.html?.contains("data-src") == true)
        #expect(forward.attachments.map(\.name) == ["a.png", "b.txt"])
        let whole = try await content(.forwardAsAttachment, header, Self.page)
        #expect(whole.html == "<p><br></p>" && whole.subject == "Fwd: Engines")
        #expect(whole.attachments.map(\.type) == ["message/rfc822"])
        #expect(whole.attachments.map(\.name) == ["Engines.eml"])
    }

    @Test func referencesStayShort() async throws {
        let chain = (0..<80).map { "<m\($0)@example.net>" }.joined(separator: "\n ")
        let header =
            "From: bob@example.net\nTo: ada@example.org\nMessage-ID: <last@example.net>\nReferences: \(chain)"
        let references = try await content(.reply, header).references
        #expect(references.count == 20 && references.first == "m0@example.net")
        #expect(references.last == "last@example.net")
    }

    @Test func aLinkBeginsAMessage() async throws {
        let test = try await TestKernel(isStarted: false)
        let link =
            "mailto:bob@example.net,%22a%20b%22@example.net?cc=c@example.net&subject=Hi%20there%0D%0ABcc:x@y.z"
            + "&body=One%0D%0ATwo&attach=/etc/passwd&from=x@y.z"
        let content = try #require(try await test.kernel.prefill.new(mailto: link, in: test.ada))
        #expect(content.to.map(\.email) == ["bob@example.net", "\"a b\"@example.net"])
        #expect(content.cc.map(\.email) == ["c@example.net"] && content.bcc.isEmpty)
        #expect(!content.subject.contains { $0.isNewline } && content.subject.hasPrefix("Hi there"))
        #expect(content.body == "One\nTwo" && content.attachments.isEmpty)
        #expect(content.html == "<p>One<br>Two</p>")
        #expect(try await test.kernel.prefill.new(mailto: "https://example.org", in: test.ada) == nil)
    }
}
