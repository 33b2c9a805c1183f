import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail

/// ACC-93: a service may give messages other names, as after a change of UIDVALIDITY.
@Suite("Mail that has another name at the service is what it was", .timeLimit(.minutes(5)))
struct RenumberedMailTests {
    private static let ada = "ada@example.org"

    private static func message(_ name: String) -> Data {
        Data("Subject: \(name)\r\nMessage-ID: <\(name)@example.org>\r\n\r\nText\r\n".utf8)
    }

    private func id(of name: String, _ test: TestKernel) async throws -> Id<Email>? {
        for id in try await test.emailIDs()
        where try await test.email(id).header.messageID.first == "\(name)@example.org" {
            return id
        }
        return nil
    }

    /// The service has the same messages under other names, and reports everything again.
    private func renumber(_ test: TestKernel, _ names: [String]) async throws {
        test.server.setOutage(.offline)
        await test.settle()
        for name in names {
            let old = try #require(
                test.server.messages(of: Self.ada).first { $0.messageID == "\(name)@example.org" })
            _ = test.server.apply(.destroy([old.address]), in: Self.ada)
            guard let mailbox = old.mailboxIDs.first else { continue }
            test.server.deliver(
                Self.message(name), to: Self.ada, mailbox: mailbox, keywords: old.keywords)
        }
        test.server.expireCursors(of: Self.ada)
        test.server.setOutage(nil)
        await test.kernel.accounts.refresh(test.ada)
        await test.settle()
    }

    @Test func aSnoozeStays() async throws {
        let test = try await TestKernel(layout: .folders)
        let names = ["snoozed", "plain"]
        for name in names { test.server.deliver(Self.message(name), to: Self.ada) }
        await test.read()
        let snoozed = try #require(try await id(of: "snoozed", test))
        let until = test.clock.now.addingTimeInterval(7 * 86_400)
        let action = try await test.call(
            "MailAction/set",
            [
                "create": [
                    "k": [
                        "verb": "snooze", "emailIds": [.string(snoozed.rawValue)],
                        "until": .string(ISO8601DateFormatter().string(from: until)),
                    ]
                ]
            ])
        #expect(action["created"].keys == ["k"], "\(action.arguments)")
        try await test.wait(for: "the snooze at the service") {
            await test.settle()
            let inbox = try await test.mailbox(.inbox)
            return try await !test.email(snoozed).mailboxIDs.contains(inbox)
                && test.server.messages(of: Self.ada).first { $0.messageID == "snoozed@example.org" }?
                    .mailboxIDs.contains(Id("inbox")) == false
        }
        try await renumber(test, names)
        try await test.wait(for: "both") {
            await test.settle()
            return try await test.emailIDs().count == 2
        }
        #expect(try await id(of: "snoozed", test) == snoozed)
        #expect(try await Snooze.all(in: test.ada, test.kernel.store).keys.contains(snoozed))
        await test.kernel.stop()
    }
}
