import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel

/// FR-COMP-04: addresses are completed from `From`, `To` and `Cc` of mail that the user wanted.
@Suite("FR-COMP-04: recipients are learned from From, To and Cc") struct LearnedRecipientTests {
    private static let ada = "ada@example.org"

    private func learned(_ test: TestKernel) async throws -> Set<String> {
        Set(try await test.storage.contacts(matching: "", limit: 100).map(\.email))
    }

    @Test func hiddenRecipientsOfADraftAreNotLearned() async throws {
        let scene = try await ComposeScene()
        var content = try await scene.content("A")
        content.cc = [EmailAddress(email: "copy@example.org")]
        content.bcc = [EmailAddress(email: "hidden@example.org")]
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        _ = try await scene.send(draft)
        #expect(try await learned(scene.test) == ["grace@example.org", "copy@example.org"])
    }

    /// Another mail program may send to more recipients than the message names.
    @Test func hiddenRecipientsOfAnotherProgramAreNotLearned() async throws {
        let scene = try await ComposeScene()
        let message = Data("From: ada@example.org\r\nTo: g@example.org\r\nBcc: h@example.org\r\n\r\nA".utf8)
        let stored = try await scene.kernel.mail.add(
            message, to: [try await scene.test.mailbox(.drafts)], keywords: [.draft],
            receivedAt: scene.clock.now, in: scene.ada)
        let identity = try #require(try await scene.test.storage.identities(nil, in: scene.ada).first)
        _ = try await scene.kernel.outbox.submit(
            message, of: stored, as: identity,
            envelope: Envelope(
                mailFrom: Self.ada, rcptTo: ["g@example.org", "h@example.org", "list@example.org"]))
        #expect(try await learned(scene.test) == ["g@example.org"])
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func sendersOfJunkAreNotLearned(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(layout: layout)
        func message(_ sender: String) -> Data {
            Data(
                "From: \(sender)@example.org\r\nTo: ada@example.org\r\nMessage-ID: <\(sender)@x>\r\n\r\nA"
                    .utf8)
        }
        let junk = try #require(test.server.mailboxes(of: Self.ada).first { $0.role == .junk }).id
        test.server.deliver(message("spammer"), to: Self.ada, mailbox: junk)
        test.server.deliver(message("friend"), to: Self.ada)
        try await test.wait(for: "both messages") { try await test.emailIDs().count == 2 }
        #expect(try await learned(test) == ["friend@example.org"])
    }
}
