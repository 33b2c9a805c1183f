import Digest
import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalFolders

@Suite("Sending among the accounts of this device") struct PostTests {
    private func send(
        _ message: Data, to recipients: [String], by session: any AccountSession
    ) async throws -> SubmissionOutcome {
        try await session.submit(
            DataSource(message), envelope: Envelope(mailFrom: "ada@home.example", rcptTo: recipients))
    }

    @Test func reachesEveryInboxAsItIs() async throws {
        let accounts = try TestAccounts()
        let (ada, grace) = (try await accounts.session(), try await accounts.session("grace@home.example"))
        let message = sample("hello") + Data([0, 255, 10, 13])
        let outcome = try await send(
            message, to: ["Grace@home.example", "grace@HOME.example", "ada@home.example"], by: ada)
        guard case .accepted(_, let refused) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(refused == [:])
        let received = try await grace.mirror()
        #expect(received.inside(.inbox).map(\.bytes) == [message])
        #expect(received.inside(.inbox).map(\.keywords) == [[]])
        #expect(received.inside(.inbox).map(\.receivedAt) == [accounts.clock.now])
        #expect(try await ada.mirror().inside(.inbox).map(\.bytes) == [message])
        #expect(try await ada.findSent(messageID: "<hello@home.example>"))
        #expect(try await !grace.findSent(messageID: "hello@home.example"))
        await ada.close()
        await grace.close()
    }

    @Test func comesBackFromThoseThatAreNotHere() async throws {
        let accounts = try TestAccounts()
        let ada = try await accounts.session()
        _ = try await send(
            sample("lost"), to: ["nobody@elsewhere.example", "no address", "ada@home.example"], by: ada)
        let inbox = try await ada.mirror().inside(.inbox).map(\.bytes)
        #expect(inbox.count == 2)
        let bounce = try #require(inbox.first { $0 != sample("lost") })
        let header = MessageHeader(bounce)
        #expect(
            header.value(of: "Content-Type")?.hasPrefix("multipart/report; report-type=delivery-status")
                == true)
        #expect(header.value(of: "In-Reply-To") == "<lost@home.example>")
        #expect(header.value(of: "Auto-Submitted") == "auto-replied")
        let text = String(decoding: bounce, as: UTF8.self)
        #expect(
            text.contains(
                "Final-Recipient: rfc822; nobody@elsewhere.example\r\nAction: failed\r\nStatus: 5.1.1"))
        #expect(text.contains("they do not exist"))
        #expect(text.contains("Subject: lost\r\n"))
        await ada.close()
    }

    @Test func aHostileRecipientCannotForgeANote() async throws {
        let accounts = try TestAccounts()
        let ada = try await accounts.session()
        _ = try await send(
            sample("x"), to: ["a@b\r\nBcc: victim@elsewhere.example", "../../x@y"], by: ada)
        let bounce = try #require(try await ada.mirror().inside(.inbox).first?.bytes)
        #expect(!String(decoding: bounce, as: UTF8.self).contains("victim"))
        await ada.close()
    }

    @Test func asSomebodyElseIsRejected() async throws {
        let accounts = try TestAccounts()
        let ada = try await accounts.session()
        let outcome = try await ada.submit(
            DataSource(sample("x")),
            envelope: Envelope(mailFrom: "grace@home.example", rcptTo: ["ada@home.example"]))
        guard case .rejected(let reply, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reply.smtp?.code == 553)
        #expect(try await ada.mirror().messages.isEmpty)
        await ada.close()
    }

    /// Deliveries were made, and the end came before it was noted that all were.
    @Test func goesOnAfterAnInterruptionAndDeliversNothingTwice() async throws {
        let accounts = try TestAccounts()
        let (ada, grace) = (try await accounts.session(), try await accounts.session("grace@home.example"))
        _ = try await send(sample("once"), to: ["grace@home.example", "nobody@x.example"], by: ada)
        await ada.close()
        let database = try Database(try accounts.paths().index)
        try database.run("DELETE FROM sent")
        try database.run("INSERT INTO sending VALUES (?)", .blob(try #require(SHA256.of(sample("once")))))
        let again = try await accounts.session()
        #expect(try await !again.findSent(messageID: "once@home.example"))
        _ = try await send(
            sample("once"), to: ["grace@home.example", "ada@home.example", "nobody@x.example"], by: again)
        #expect(try await grace.mirror().messages.count == 1)
        // The note of before, and what was still missing.
        #expect(try await again.mirror().inside(.inbox).count == 2)
        // On purpose it is sent again.
        _ = try await send(sample("once"), to: ["grace@home.example"], by: again)
        #expect(try await grace.mirror().messages.count == 2)
        await again.close()
        await grace.close()
    }

    @Test(arguments: [
        (0.0, "Thu, 1 Jan 1970 00:00:00 +0000"), (1_709_208_000, "Thu, 29 Feb 2024 12:00:00 +0000"),
        (1_700_000_000, "Tue, 14 Nov 2023 22:13:20 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
        (951_868_799, "Tue, 29 Feb 2000 23:59:59 +0000"), (4_102_444_800, "Fri, 1 Jan 2100 00:00:00 +0000"),
    ])
    func datesAreWrittenRight(_ seconds: Double, _ text: String) {
        #expect(MailDate.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        ("Message-ID: <a@b>\r\n\r\n", "a@b"), ("message-id:\r\n <a@b>\r\nX: y\r\n\r\n", "a@b"),
        ("X: y\nMESSAGE-ID: <c@d>\n\nMessage-ID: <no@no>\n", "c@d"),
        ("Subject: x\r\n\r\nMessage-ID: <no@no>\r\n", nil),
        ("", nil), ("Message-ID:\r\n\r\n", nil), ("\r\nMessage-ID: <no@no>\r\n", nil),
        ("Message-ID: <e@f>", "e@f"),
    ])
    func messageIDsAreFound(_ message: String, _ id: String?) {
        #expect(MessageHeader(Data(message.utf8)).messageID == id)
    }
}
