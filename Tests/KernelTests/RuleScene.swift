import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Rules

@testable import Mail

/// A kernel with rules in Ada's account, and what they have done.
struct RuleScene {
    static let ada = "ada@example.org"
    static let grace = "grace@example.org"

    let test: TestKernel

    static func mail(
        _ name: String, from: String = "Shop <shop@example.com>", subject: String = "Your invoice",
        _ more: [String] = []
    ) -> Data {
        let lines =
            [
                "From: \(from)", "To: ada@example.org", "Subject: \(subject)",
                "Message-ID: <\(name)@example.org>",
            ] + more + ["", "The text of \(name)"]
        return Data(lines.joined(separator: "\r\n").utf8)
    }

    func useRules(_ text: String) async throws {
        let scripts = test.kernel.rulebook.scripts
        if let active = try await scripts.active(in: test.ada) {
            try await scripts.update(active.id, in: test.ada) { $0.text = text }
        } else {
            _ = try await scripts.create(name: nil, text: text, isActive: true, in: test.ada)
        }
    }

    func deliver(_ message: Data, receivedAt: Date? = nil) {
        test.server.deliver(message, to: Self.ada, receivedAt: receivedAt)
    }

    /// Waits until the rules have run on everything that was delivered, and what they sent is in the outbox.
    func settle() async throws {
        await test.read()
        try await test.wait(for: "the end of the rules") {
            let (rules, mails) = (try await waiting("arrival"), try await waiting("automatic-mail"))
            return rules == 0 && mails == 0
        }
        await test.settle()
    }

    func waiting(_ collection: String) async throws -> Int {
        try await test.storage.documents(in: collection, accountID: test.ada, after: nil, limit: 1_000).count
    }

    /// The names of the mailboxes of each message, and its keywords, by its Message-ID.
    func places(of account: Id<Account>? = nil) async throws -> [String: [Set<String>]] {
        let account = account ?? test.ada
        let names = Dictionary(
            try await test.storage.mailboxes(nil, in: account).map { ($0.mailbox.id, $0.mailbox.name) }
        ) { first, _ in first }
        var places: [String: [Set<String>]] = [:]
        for id in try await test.emailIDs(of: account) {
            let email = try await test.email(id, of: account)
            let words = email.mailboxIDs.compactMap { names[$0] } + email.keywords.map(\.rawValue)
            places[email.header.messageID.first ?? "", default: []].append(Set(words))
        }
        return places
    }

    func place(of name: String) async throws -> Set<String>? {
        // A message that was sent on has a copy with the same id in Sent.
        try await places()["\(name)@example.org"]?.first { !$0.contains("Sent") }
    }

    var actions: [MailAction] {
        get async throws { try await test.kernel.actions.all(in: test.ada) }
    }

    var problems: [RuleProblem] {
        get async throws { try await test.kernel.rulebook.problems(in: test.ada) }
    }

    /// What arrived in the other account.
    var arrivedAtGrace: [String] {
        test.server.messages(of: Self.grace).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
