import Foundation
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalFolders

@Suite("The demo") struct DemoTests {
    private let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func mail(_ number: Int = 0) throws -> [DemoCopy] {
        DemoWorld(now: now).mail(of: try #require(DemoPerson.all.dropFirst(number).first))
    }

    @Test func isTheSameEveryTime() throws {
        let (one, other) = (try mail(), try mail())
        #expect(one.map(\.bytes) == other.map(\.bytes))
        #expect(one.map(\.keywords) == other.map(\.keywords))
    }

    @Test func hasWhatAMailboxHas() throws {
        let mail = try mail()
        let subjects = Set(
            mail.map { (MessageHeader($0.bytes).value(of: "Subject") ?? "").replacing("Re: ", with: "") })
        #expect(mail.count > 300, "\(mail.count)")
        #expect(subjects.count > 150, "\(subjects.count)")
        for (role, least) in [
            (Mailbox.Role.inbox, 150), (.sent, 40), (.drafts, 3), (.junk, 3), (.trash, 3), (.archive, 10),
        ] {
            let count = mail.filter { $0.place == role }.count
            #expect(count >= least, "\(role): \(count)")
        }
        #expect(mail.filter { !$0.keywords.contains(.seen) }.count > 10)
        #expect(mail.filter { $0.keywords.contains(.flagged) }.count > 5)
        let texts = mail.map { String(decoding: $0.bytes, as: UTF8.self).replacing("=\r\n", with: "") }
        for what in [
            "format=flowed", "text/calendar", "List-Id:", "List-Unsubscribe:", "image/png", "application/pdf",
            "text/csv", "application/zip", ".exe", "cid:", "https://track.", "multipart/related",
            "=?utf-8?B?",
            "Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: 8bit", "> ",
        ] {
            #expect(texts.contains { $0.contains(what) }, "nothing with \(what)")
        }
    }

    @Test func isOfTheLastWeeksAndNotOfTheFuture() throws {
        for copy in try mail() {
            #expect(copy.receivedAt <= now)
            #expect(copy.receivedAt > now - 70 * 86_400)
        }
    }

    /// Neither a user who tries it nor a mistake of ours may reach a real address.
    @Test func namesNoHostThatCouldExist() throws {
        let reserved = ["example", "test", "invalid"]
        for copy in try mail(0) + mail(1) {
            let text = String(decoding: copy.bytes, as: UTF8.self).replacing("=\r\n", with: "")
            for match in text.matches(of: /(?:@|https?:\/\/|www\.)([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/) {
                let end = match.1.split(separator: ".").last.map(String.init) ?? ""
                #expect(reserved.contains(end), "\(match.0)")
            }
        }
    }

    @Test func hasLinesThatMailMayHave() throws {
        for copy in try mail(0) + mail(1) {
            let header = MessageHeader(copy.bytes)
            #expect(header.bytes.allSatisfy { $0 < 128 }, "a header that is not ASCII")
            #expect(
                header.messageID != nil && header.value(of: "Date") != nil && header.value(of: "From") != nil)
            let lines = copy.bytes.split(separator: 10, omittingEmptySubsequences: false)
            #expect(lines.dropLast().allSatisfy { $0.last == 13 }, "a line end of one byte")
            #expect(lines.allSatisfy { $0.count <= 998 }, "a line that is too long")
        }
    }

    @Test func opensForBothWhoHaveTheSameLetters() async throws {
        let accounts = try TestAccounts()
        let provider = accounts.provider
        let request = AuthorizationRequest(setupID: "demo", redirect: URL(filePath: "/"))
        guard case .finished(let candidates) = try provider.authorize(.begin(request)) else {
            Issue.record("it asks something")
            return
        }
        var sessions: [any AccountSession] = []
        var ids: [Set<String>] = []
        var bytes: [String: Data] = [:]
        for candidate in candidates {
            let found = try provider.validate(candidate)
            sessions.append(try await accounts.session(found.address, isDemo: true))
        }
        for session in sessions {
            let mirror = try await session.mirror()
            var own: Set<String> = []
            for held in mirror.messages.values {
                let id = try #require(MessageHeader(held.bytes).messageID)
                #expect(bytes[id] == nil || bytes[id] == held.bytes)
                bytes[id] = held.bytes
                own.insert(id)
            }
            ids.append(own)
            #expect(
                try await session.mailboxes().mailboxes.contains { $0.name == "Someday" || $0.name == "Work" }
            )
        }
        try #require(ids.count == 2)
        #expect(ids[0].intersection(ids[1]).count > 20)
        let envelope = Envelope(mailFrom: "jonas@demo.example", rcptTo: ["mira@demo.example"])
        _ = try await sessions[1].submit(DataSource(sample("to mira")), envelope: envelope)
        #expect(try await sessions[0].mirror().inside(.inbox).contains { $0.bytes == sample("to mira") })
        for session in sessions { await session.close() }
    }

    @Test func isMadeOnceAndKeepsWhatIsChanged() async throws {
        let accounts = try TestAccounts()
        let first = try await accounts.session("mira@demo.example", isDemo: true)
        let before = try await first.mirror()
        let gone = try #require(before.messages.keys.first)
        _ = try await first.apply([.destroy([RemoteAddress(feed: FeedID("mail"), id: gone)])])
        await first.close()
        let second = try await accounts.session("mira@demo.example", isDemo: true)
        #expect(try await second.mirror().messages.count == before.messages.count - 1)
        await second.close()
    }
}
