import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("Invitations over JMAP") struct InvitationTests {
    private static let organizer = "grace@example.org"

    private func calendar(
        _ method: String = "REQUEST", sequence: Int = 0, title: String = "Planning",
        start: String = "20260310T130000Z", by line: String = ";CN=Grace:mailto:" + organizer,
        more: String = ""
    ) -> String {
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        METHOD:\(method)
        BEGIN:VEVENT
        UID:planning@example.org
        DTSTAMP:2026030\(sequence + 1)T090000Z
        SEQUENCE:\(sequence)
        DTSTART:\(start)
        DURATION:PT1H
        SUMMARY:\(title)
        ORGANIZER\(line)
        ATTENDEE;CN=Ada;PARTSTAT=NEEDS-ACTION:mailto:ada@example.org
        \(more)END:VEVENT
        END:VCALENDAR

        """.replacing("\n", with: "\r\n")
    }

    /// Delivers a message with a calendar, and returns the id of its email.
    private func deliver(
        _ calendar: Data, type: String = "text/calendar; charset=UTF-8; method=REQUEST",
        from: String = organizer, head more: String = "", part: String = "", subject: String = "Invitation",
        to test: TestKernel
    ) async throws -> JSONValue {
        let before = Set(try await test.emailIDs())
        let head =
            "From: Grace <\(from)>\r\nTo: ada@example.org\r\nSubject: \(subject)\r\n\(more)MIME-Version: 1.0\r\n"
        let parts =
            "Message-ID: <\(before.count)@example.org>\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n"
            + "--b\r\nContent-Type: text/plain\r\n\r\nYou are invited.\r\n--b\r\nContent-Type: \(type)\r\n\(part)"
            + "Content-Transfer-Encoding: base64\r\n\r\n"
        let encoded = calendar.base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn,
        ])
        test.server.deliver(Data((head + parts + encoded + "\r\n--b--\r\n").utf8), to: "ada@example.org")
        try await test.wait(for: "the message") { try await test.emailIDs().count > before.count }
        let id = try #require(Set(try await test.emailIDs()).subtracting(before).first)
        return .string(id.rawValue)
    }

    private func deliver(_ text: String, to test: TestKernel) async throws -> JSONValue {
        try await deliver(Data(text.utf8), to: test)
    }

    /// From a stranger who names someone as the organizer.
    private func deliver(
        _ text: String, from: String, head: String = "", to test: TestKernel
    ) async throws -> JSONValue {
        try await deliver(Data(text.utf8), from: from, head: head, to: test)
    }

    private func get(_ test: TestKernel, _ id: JSONValue) async throws -> JSONValue {
        let answer = try await test.call("Invitation/get", ["ids": [id]])
        return try #require(answer["list"][0], "\(answer.arguments)")
    }

    private func answer(_ test: TestKernel, _ id: JSONValue, _ answer: String, note: String = "") async throws
        -> CallAnswer
    {
        try await test.call(
            "Invitation/answer", ["id": id, "answer": .string(answer), "note": .string(note)])
    }

    @Test func anInvitationIsReadFromAMessage() async throws {
        let test = try await TestKernel()
        let invitation = try await get(test, try await deliver(calendar(), to: test))
        #expect(invitation["title"] == "Planning" && invitation["method"] == "request")
        #expect(invitation["start"]?["utc"] == "2026-03-10T13:00:00Z")
        #expect(invitation["end"]?["utc"] == "2026-03-10T14:00:00Z")
        #expect(invitation["organizer"]?["email"] == .string(Self.organizer))
        #expect(invitation["me"]?["email"] == "ada@example.org")
        #expect(invitation["attendees"]?[0]?["isMe"] == true)
        #expect(invitation["mayAnswer"] == true && invitation["isSenderExpected"] == true)
        #expect(invitation["answer"] == .null && invitation["answerState"] == "none")
        let plain = try await test.call("Invitation/get", ["ids": ["missing"]])
        #expect(plain["notFound"] == ["missing"])
    }

    /// What programs do with the part: the method in its type alone, other charsets, a file.
    @Test func aCalendarIsReadHoweverItIsSent() async throws {
        let test = try await TestKernel()
        let text = calendar(title: "Café")
        let latin = try #require(text.data(using: .isoLatin1))
        let wide = try #require(text.data(using: .utf16))
        let bare = Data(text.replacing("METHOD:REQUEST\r\n", with: "").utf8)
        let file = "Content-Disposition: attachment; filename=\"invite.ics\"\r\n"
        let ways: [(Data, String, String)] = [
            (latin, "text/calendar; charset=ISO-8859-1; method=REQUEST", ""),
            (wide, "text/calendar; charset=UTF-16; method=REQUEST", ""),
            (Data(text.utf8), "text/calendar; method=REQUEST", ""),
            (bare, "text/calendar; charset=UTF-8; Method=\"REQUEST\"", ""),
            (Data(text.utf8), "application/octet-stream; name=\"invite.ics\"", file),
            (Data(text.utf8), "application/ics", file),
        ]
        for (bytes, type, more) in ways {
            let id = try await deliver(bytes, type: type, part: more, to: test)
            let invitation = try await get(test, id)
            #expect(invitation["title"] == "Café" && invitation["method"] == "request", "\(type)")
        }
    }

    @Test func anotherSenderThanTheOrganizerIsPointedOut() async throws {
        let test = try await TestKernel()
        let id = try await deliver(Data(calendar().utf8), from: "eve@example.net", to: test)
        #expect(try await get(test, id)["isSenderExpected"] == false)
    }

    /// The name says what it likes: `Sender` and the first of several senders prove nothing.
    @Test(arguments: [
        ("eve@example.net", "Sender: grace@example.org\r\n"),
        ("grace@example.org>, Eve <eve@example.net", ""), ("eve@example.net>, Grace <grace@example.org", ""),
    ])
    func onlyOneSenderIsTheOrganizer(_ from: String, _ head: String) async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(), from: from, head: head, to: test)
        let invitation = try await get(test, id)
        #expect(invitation["title"] == "Planning" && invitation["isSenderExpected"] == false)
    }

    @Test(arguments: [
        "a@evil.example,all@corp.example", "a@b@c", "x@y?bcc=z@w", "boss@x(all@y)", "a@evil.example;b@x.org",
        "mallory@evil.example?bcc=all@corp.example", "boss@example.org%0d%0aBcc%3aall@corp.example",
    ])
    func anOrganizerWithoutOneAddressGetsNoAnswer(_ address: String) async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(by: ";CN=Boss:mailto:" + address), to: test)
        let invitation = try await get(test, id)
        #expect(invitation["mayAnswer"] == false && invitation["isSenderExpected"] == false)
        #expect(
            invitation["organizerWarning"]?.stringValue?.hasSuffix(
                "is not an email address, so this invitation cannot be answered.") == true)
        #expect(try await answer(test, id, "accepted").error == "invalidArguments")
    }

    @Test(arguments: [
        (";CN=boss@example.org:mailto:mallory@evil.example", "mallory@evil.example"),
        (":mailto:b\u{43E}ss@example.org", "b\u{43E}ss@example.org"),
    ])
    func anOrganizerWhoImitatesAnotherIsPointedOut(_ organizer: String, _ address: String) async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(by: organizer), from: address, to: test)
        let invitation = try await get(test, id)
        #expect(invitation["organizer"]?["email"] == .string(address))
        #expect(invitation["organizerWarning"]?.stringValue?.isEmpty == false)
        let plain = try await get(test, try await deliver(calendar(), to: test))
        #expect(plain["organizerWarning"] == .null && plain["mayAnswer"] == true)
    }

    /// A list of addresses that begins with the user's own is not the user.
    @Test func aGuestOfSeveralAddressesIsNotTheUser() async throws {
        let test = try await TestKernel()
        let text = calendar().replacing("ada@example.org", with: "ada@example.org,eve@example.net")
        let invitation = try await get(test, try await deliver(text, to: test))
        #expect(invitation["me"] == .null && invitation["mayAnswer"] == true)
    }

    /// A UID can be copied: a stranger's invitation has nothing to do with the one that has it.
    @Test func aCopiedUIDNeitherCancelsNorAnswersAnother() async throws {
        let test = try await TestKernel()
        let eve = ":mailto:eve@example.net"
        let first = try await deliver(calendar(), to: test)
        #expect(try await answer(test, first, "accepted").error == nil)
        let copy = try await deliver(calendar(by: eve), from: "eve@example.net", to: test)
        #expect(try await get(test, copy)["answer"] == .null)
        #expect(try await answer(test, copy, "declined").error == nil)
        #expect(try await get(test, first)["answerState"] == "waiting")
        #expect(try await get(test, first)["answer"] == "accepted")
        let submissions = try await test.kernel.store.read.submissions(nil, in: test.ada)
        #expect(submissions.filter { $0.undoStatus == .pending }.count == 2)
        #expect(try await test.call("Invitation/takeBack", ["id": copy])["isTakenBack"] == true)
        #expect(try await get(test, first)["answerState"] == "waiting")
        // In the same conversation, once in Eve's name and once as if from Grace.
        let reply = "In-Reply-To: <0@example.org>\r\nReferences: <0@example.org>\r\n"
        let end = "STATUS:CANCELLED\r\n"
        for organizer in [eve, ";CN=Grace:mailto:" + Self.organizer] {
            let cancel = calendar("CANCEL", sequence: 5, by: organizer, more: end)
            _ = try await deliver(cancel, from: "eve@example.net", head: reply, to: test)
        }
        let kept = try await get(test, first)
        #expect(kept["newerEmailId"] == .null && kept["isCanceledLater"] == false)
        #expect(kept["mayAnswer"] == true)
        let cancel = try await deliver(calendar("CANCEL", sequence: 6, more: end), to: test)
        #expect(try await get(test, first)["newerEmailId"] == cancel)
    }

    /// The title finds what the newest messages of a busy sender do not hold.
    @Test func aLaterVersionIsFoundBehindManyMessages() async throws {
        let test = try await TestKernel()
        let first = try await deliver(Data(calendar().utf8), subject: "Invitation: Planning", to: test)
        let second = try await deliver(
            Data(calendar(sequence: 1, start: "20260311T130000Z").utf8), subject: "Updated: Planning",
            to: test)
        let before = try await test.emailIDs().count
        for number in 0..<31 {
            let text =
                "From: Grace <\(Self.organizer)>\r\nTo: ada@example.org\r\nSubject: Other \(number)\r\n"
                + "Message-ID: <other\(number)@example.org>\r\n\r\nSomething else.\r\n"
            test.server.deliver(Data(text.utf8), to: "ada@example.org")
        }
        try await test.wait(for: "the others") { try await test.emailIDs().count == before + 31 }
        #expect(try await get(test, first)["newerEmailId"] == second)
        #expect(try await get(test, second)["changes"] == ["time"])
    }

    @Test func aLongTitleIsCutInTheSubject() async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(title: String(repeating: "Long", count: 400)), to: test)
        _ = try await answer(test, id, "accepted")
        let draft = try #require(try await test.kernel.drafts.all(in: test.ada).first)
        #expect(draft.content.subject.count == "Accepted: ".count + 200)
        #expect(draft.content.subject.hasSuffix("…"))
    }

    @Test func aLaterVersionSaysWhatChangedAndACancellationEndsIt() async throws {
        let test = try await TestKernel()
        let first = try await deliver(calendar(more: "LOCATION:Room 1\r\n"), to: test)
        let second = try await deliver(
            calendar(sequence: 1, start: "20260311T130000Z", more: "LOCATION:Room 2\r\n"), to: test)
        let updated = try await get(test, second)
        #expect(updated["changes"] == ["time", "place"])
        #expect(updated["previous"]?["start"]?["utc"] == "2026-03-10T13:00:00Z")
        #expect(updated["previous"]?["place"] == "Room 1" && updated["newerEmailId"] == .null)
        #expect(try await get(test, first)["newerEmailId"] == second)
        let third = try await deliver(calendar("CANCEL", sequence: 2, more: "STATUS:CANCELLED\r\n"), to: test)
        #expect(try await get(test, second)["isCanceledLater"] == true)
        let canceled = try await get(test, third)
        #expect(canceled["method"] == "cancel" && canceled["mayAnswer"] == false)
        #expect(try await answer(test, third, "accepted").error == "invalidArguments")
    }

    @Test func anAnswerGoesThroughTheOutboxOnce() async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(), to: test)
        #expect(try await answer(test, id, "perhaps").error == "invalidArguments")
        let made = try await answer(test, id, "tentative", note: "Maybe late")
        let submission = try #require(made["submissionId"].stringValue, "\(made.arguments)")
        let waiting = try await get(test, id)
        #expect(waiting["answer"] == "tentative" && waiting["answerState"] == "waiting")
        #expect(waiting["note"] == "Maybe late" && waiting["submissionId"] == .string(submission))
        // The same again is refused; another takes its place.
        #expect(try await answer(test, id, "tentative", note: "Maybe late").error == "invalidArguments")
        #expect(try await answer(test, id, "accepted").error == nil)
        let submissions = try await test.kernel.store.read.submissions(nil, in: test.ada)
        #expect(submissions.filter { $0.undoStatus == .pending }.count == 1)
        #expect(submissions.first { $0.id.rawValue == submission }?.undoStatus == .canceled)
        #expect(try await test.kernel.drafts.all(in: test.ada).count == 1)
        test.clock.advance(by: 60)
        try await test.wait(for: "the sending") { try await get(test, id)["answerState"] == "sent" }
        await test.settle()
        let inbox = test.server.messages(of: Self.organizer).filter {
            $0.bytes.contains(Data("METHOD:REPLY".utf8))
        }
        #expect(inbox.count == 1)
        let text = String(decoding: inbox.first?.bytes ?? Data(), as: UTF8.self)
        #expect(text.contains("Subject: Accepted: Planning"))
        #expect(text.contains("Content-Type: text/calendar; method=REPLY; charset=utf-8"))
        #expect(text.contains("ATTENDEE;PARTSTAT=ACCEPTED;CN=\"Ada\":mailto:ada@example.org"))
        #expect(text.contains("UID:planning@example.org") && text.contains("SEQUENCE:0"))
        #expect(try await answer(test, id, "accepted").error == "invalidArguments")
        // A later version asks again, and knows what was said before.
        let later = try await deliver(calendar(sequence: 1, start: "20260311T130000Z"), to: test)
        let asked = try await get(test, later)
        #expect(asked["answer"] == .null && asked["earlierAnswer"] == "accepted")
    }

    @Test func anAnswerThatIsTakenBackLeavesNothing() async throws {
        let test = try await TestKernel()
        let id = try await deliver(calendar(), to: test)
        _ = try await answer(test, id, "declined")
        let back = try await test.call("Invitation/takeBack", ["id": id])
        #expect(back["isTakenBack"] == true)
        let open = try await get(test, id)
        #expect(open["answer"] == .null && open["answerState"] == "none")
        #expect(try await test.kernel.drafts.all(in: test.ada).isEmpty)
        test.clock.advance(by: 60)
        await test.kernel.outbox.settle()
        #expect(
            test.server.messages(of: Self.organizer).allSatisfy { !$0.bytes.contains(Data("REPLY".utf8)) })
    }

    /// What was in its undo delay when the program was killed is not sent, and can be answered again.
    @Test func anAnswerThatWasInterruptedIsNotSent() async throws {
        let (disk, secrets) = (MemoryStorage.Disk(), SecretDrawers())
        let first = try await TestKernel(on: disk, secrets: secrets)
        let (server, clock) = (first.server, first.clock)
        let id = try await deliver(calendar(), to: first)
        _ = try await answer(first, id, "accepted")
        await first.kernel.stop()
        let second = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, hasAccounts: false)
        #expect(try await get(second, id)["answerState"] == "none")
        clock.advance(by: 60)
        await second.kernel.outbox.settle()
        #expect(server.messages(of: Self.organizer).allSatisfy { !$0.bytes.contains(Data("REPLY".utf8)) })
        #expect(try await answer(second, id, "accepted").error == nil)
        #expect(try await second.kernel.drafts.all(in: second.ada).count == 1)
    }
}
