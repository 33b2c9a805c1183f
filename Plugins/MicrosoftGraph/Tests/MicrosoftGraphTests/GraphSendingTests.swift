import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import MicrosoftGraph

/// ACC-124: a message is sent once, to those whom it is for.
@Suite("Sending through Microsoft Graph", .timeLimit(.minutes(2))) struct GraphSendingTests {
    private static let envelope = Envelope(mailFrom: GraphMailbox.address, rcptTo: ["bob@example.org"])

    private func message(_ name: String = "one", to: String = "bob@example.org") -> DataSource {
        DataSource(GraphMailbox.bytes(name, to: to))
    }

    private func sent(_ person: Person) -> [GraphMailbox.Message] {
        person.server.state.value.inFolder(GraphMailbox.folderID("sentitems"))
    }

    private func drafts(_ person: Person) -> Int {
        person.server.state.value.inFolder(GraphMailbox.folderID("drafts")).count
    }

    @Test func theDraftBecomesTheCopyInSent() async throws {
        let person = try Person(GraphServer())
        let outcome = try await person.session.submit(message(), envelope: Self.envelope)
        #expect(outcome == .accepted(SubmissionReply("Microsoft accepted the message."), refused: [:]))
        #expect(sent(person).count == 1 && drafts(person) == 0)
        #expect(try await person.session.findSent(messageID: "one@contoso.com"))
        #expect(try await !person.session.findSent(messageID: "two@contoso.com"))
    }

    /// Microsoft sends to whom the message names: the others are added, and a message for other people is not sent.
    @Test func hiddenRecipientsGetItAndOthersDoNot() async throws {
        let person = try Person(GraphServer())
        var envelope = Self.envelope
        envelope.rcptTo += ["eve@example.org"]
        _ = try await person.session.submit(message(), envelope: envelope)
        #expect(sent(person).first?.bcc == ["eve@example.org"])
        envelope.rcptTo = ["eve@example.org"]
        let outcome = try await person.session.submit(message("redirected"), envelope: envelope)
        #expect(outcome == .rejected(SubmissionReply(Sentences.otherRecipients), refused: [:]))
        #expect(person.server.state.value.sentCount == 1 && drafts(person) == 0)
    }

    enum Loss: CaseIterable {
        case ofTheDraft, ofSending, beforeSending, inBetween
    }

    /// An answer is lost, or the request, or a server in between gives up; also with a restart before the next try.
    @Test(arguments: Loss.allCases, [false, true])
    func aLostAnswerSendsOnce(_ loss: Loss, _ restarts: Bool) async throws {
        let isLost = Watched(true)
        let server = GraphServer { request, _ in
            let isSending = request.path.hasSuffix("/send")
            guard request.method == "POST", isSending || request.path.hasSuffix("/me/messages"),
                isSending != (loss == .ofTheDraft), isLost.value
            else { return nil }
            isLost.withLock { $0 = false }
            switch loss {
            case .ofTheDraft, .ofSending: return .loseAnswer(.closed(host: "x"))
            case .beforeSending: return .fail(.closed(host: "x"))
            case .inBetween: return .answer(503, [:], "busy")
            }
        }
        let person = try Person(server)
        var session = person.session
        var outcome: SubmissionOutcome?
        for _ in 0..<3 {
            do throws(AccountError) {
                outcome = try await session.submit(message(), envelope: Self.envelope)
            } catch {
                guard case .unreachable = error else { throw error }
            }
            if case .accepted? = outcome { break }
            if restarts { session = person.restarted() }
            if outcome == .unknown, try await session.findSent(messageID: "one@contoso.com") { break }
        }
        #expect(server.state.value.sentCount == 1 && sent(person).count == 1)
        #expect(drafts(person) == 0)
    }

    /// While it is in Outbox it counts as sent; what the service does not find may have been.
    @Test func aMessageOnItsWayIsNotSentAgain() async throws {
        var start = GraphMailbox()
        start.holdsSent = true
        let isLost = Watched(true)
        let server = GraphServer(start) { request, _ in
            request.path.hasSuffix("/send") && isLost.value ? .loseAnswer(.closed(host: "x")) : nil
        }
        let person = try Person(server)
        #expect(try await person.session.submit(message(), envelope: Self.envelope) == .unknown)
        isLost.withLock { $0 = false }
        #expect(try await person.session.findSent(messageID: "one@contoso.com"))
        let id = try #require(server.state.value.messages.keys.first)
        server.state.withLock { $0.remove(id) }
        #expect(try await !person.session.findSent(messageID: "one@contoso.com"))
        #expect(try await person.session.submit(message(), envelope: Self.envelope) == .unknown)
        #expect(server.state.value.sentCount == 1)
    }

    @Test func aRefusedMessageLeavesNothing() async throws {
        let code = Watched("ErrorSendAsDenied")
        let server = GraphServer { request, _ in
            guard request.path.hasSuffix("/send"), !code.value.isEmpty else { return nil }
            return .answer(
                403, [:], #"{"error":{"code":"\#(code.value)","message":"You cannot send as this user."}}"#)
        }
        let person = try Person(server)
        let words = "You cannot send as this user."
        #expect(
            try await person.session.submit(message(), envelope: Self.envelope)
                == .rejected(SubmissionReply(words), refused: [:]))
        code.withLock { $0 = "ErrorServerBusy" }
        #expect(
            try await person.session.submit(message(), envelope: Self.envelope)
                == .rejected(SubmissionReply(words, isTransient: true), refused: [:]))
        #expect(drafts(person) == 0)
        code.withLock { $0 = "" }
        _ = try await person.session.submit(message(), envelope: Self.envelope)
        #expect(server.state.value.sentCount == 1 && drafts(person) == 0)
    }

    /// A copy of the draft that the user keeps there has the same Message-ID, and stays.
    @Test func aDraftOfTheUsersStays() async throws {
        let isLost = Watched(true)
        let server = GraphServer { request, _ in
            isLost.value && request.method == "POST" && request.path.hasSuffix("/me/messages")
                ? .loseAnswer(.closed(host: "x")) : nil
        }
        let person = try Person(server)
        let own = try await person.session.append(
            message(), to: RemoteMailboxID(GraphMailbox.folderID("drafts")), keywords: [.draft, .seen],
            receivedAt: person.clock.now, replacing: nil)
        for _ in 1...2 {
            await #expect(throws: AccountError.self) {
                try await person.session.submit(message(), envelope: Self.envelope)
            }
        }
        #expect(drafts(person) == 2)
        isLost.withLock { $0 = false }
        _ = try await person.session.submit(message(), envelope: Self.envelope)
        #expect(drafts(person) == 1 && sent(person).count == 1)
        let id = try #require(own.address?.id.rawValue)
        #expect(server.state.value.messages[id]?.isDraft == true)
    }

    /// A draft keeps its id when it is sent: by its old place it is not destroyed.
    @Test func theSentCopyIsNotDestroyedAsADraft() async throws {
        let person = try Person(GraphServer())
        let drafts = RemoteMailboxID(GraphMailbox.folderID("drafts"))
        _ = try await person.session.submit(message(), envelope: Self.envelope)
        let id = try #require(sent(person).first?.id)
        let asDraft = person.address(id, "drafts")
        let outcomes = try await person.session.apply([.destroy([asDraft])])
        #expect(outcomes == [.done(newIDs: [:], mailbox: nil)])
        _ = try await person.session.append(
            message("next"), to: drafts, keywords: [.draft], receivedAt: person.clock.now, replacing: asDraft)
        #expect(sent(person).map(\.id) == [id])
        _ = try await person.session.apply([.destroy([person.address(id, "sentitems")])])
        #expect(sent(person).isEmpty)
    }

    // MARK: Large messages

    private func large(_ size: Int, type: String = "multipart/mixed") -> Data {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let lines = content.base64EncodedString(options: .lineLength76Characters)
        return Data(
            """
            From: <ada@contoso.com>\r\nTo: <bob@example.org>\r\nSubject: film\r\nMessage-ID: <film@contoso.com>\r
            Content-Type: \(type);\r\n boundary="b 1"\r\n\r\n--b 1\r\nContent-Type: multipart/related; boundary=b2\r\n\r
            --b2\r\nContent-Type: text/html\r\n\r\n<p>Hello.</p>\r\n--b2\r\nContent-Type: image/png; name="p.png"\r
            Content-ID: <p1>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b2--\r\n\r\n--b 1\r
            Content-Type: video/mp4\r\nContent-Disposition: attachment;\r\n filename*=utf-8''Ferien%20im%20S%C3%BCden.mp4\r
            Content-Transfer-Encoding: base64\r\n\r\n\(lines)\r\n--b 1--\r\n
            """.utf8)
    }

    /// ACC-125: what is too large for one request is uploaded in pieces.
    @Test func largeAttachmentsAreUploaded() async throws {
        let person = try Person(GraphServer())
        let outcome = try await person.session.submit(
            DataSource(large(7_000_000)), envelope: Self.envelope)
        guard case .accepted = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let message = try #require(sent(person).first)
        let attachment = try #require(message.attachments.first)
        #expect(message.attachments.count == 1 && attachment["name"] == "Ferien im Süden.mp4")
        #expect(attachment["size"] == 7_000_000 && attachment["contentType"] == "video/mp4")
        let bytes = Data(base64Encoded: attachment["contentBytes"]?.stringValue ?? "")
        #expect(bytes == Data((0..<7_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        let rest = String(decoding: message.bytes, as: UTF8.self)
        #expect(
            rest.contains("iVBORw0KGgo=") && rest.contains("<p>Hello.</p>") && !rest.contains("video/mp4"))
        // The place to upload to needs no token, and gets none.
        let uploads = person.server.requests.filter { $0.url.host() == GraphServer.uploadHost }
        #expect(uploads.count == 3 && uploads.allSatisfy { $0.bearer == nil && $0.body.count <= 4_000_000 })
    }

    @Test func anUploadThatBreaksOffLeavesNothing() async throws {
        let isBroken = Watched(true)
        let server = GraphServer { request, _ in
            isBroken.value && request.headers["Content-Range"]?.hasPrefix("bytes 3276800-") == true
                ? .fail(.closed(host: "x")) : nil
        }
        let person = try Person(server)
        let bytes = DataSource(large(4_000_000))
        await #expect(throws: AccountError.self) {
            try await person.session.submit(bytes, envelope: Self.envelope)
        }
        #expect(drafts(person) == 0 && server.state.value.sentCount == 0)
        isBroken.withLock { $0 = false }
        _ = try await person.session.submit(bytes, envelope: Self.envelope)
        #expect(sent(person).first?.attachments.count == 1 && drafts(person) == 0)
    }

    @Test func anUploadThatLeadsAwayIsRefused() async throws {
        let server = GraphServer { request, _ in
            request.path.hasSuffix("/createUploadSession")
                ? .answer(201, [:], #"{"uploadUrl":"https://evil.example/x"}"#) : nil
        }
        let person = try Person(server)
        await #expect(throws: AccountError.badAnswer("an upload leads away from Microsoft")) {
            try await person.session.submit(DataSource(large(4_000_000)), envelope: Self.envelope)
        }
        #expect(drafts(person) == 0)
    }

    @Test func aLargeSignedMessageIsRefusedBeforeAnythingIsSent() async throws {
        let person = try Person(GraphServer())
        let outcome = try await person.session.submit(
            DataSource(large(4_000_000, type: "multipart/signed")), envelope: Self.envelope)
        guard case .rejected(let reply, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reply.text.contains("at most 3 MB") && drafts(person) == 0)
    }

    @Test func manySmallAttachmentsGoOneByOne() throws {
        var text = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello.\r\n"
        for number in 1...4 {
            text += "--b\r\nContent-Disposition: attachment; filename=\(number).txt\r\n\r\n"
            text += String(repeating: "0123456789\r\n", count: 75_000) + "\r\n"
        }
        let message = try LargeMessage(Data((text + "--b--\r\n").utf8))
        #expect(message.attachments.map(\.name) == ["1.txt", "2.txt", "3.txt", "4.txt"])
        #expect(message.attachments.allSatisfy { $0.bytes.count == 900_000 })
        #expect(message.rest.count < 200)
    }
}
