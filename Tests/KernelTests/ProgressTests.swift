import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-04: the states of the sync are visible, with progress.
@Suite("FR-SYNC-04: while mail is read, each mailbox says how far it is") struct ProgressTests {
    private static let ada = "ada@example.org"

    private struct Seen: Sendable {
        var inbox: [SyncProgress] = []
        var trash: [SyncProgress] = []
        var json: [JSONValue] = []
    }

    @Test func eachMailboxCountsItsOwnMessages() async throws {
        let (script, clock) = (Script(), ManualClock())
        let server = MemoryMailServer(
            logins: Array(MemoryAccountPlugin.logins.prefix(1)), layout: .folders, batchSize: 7,
            clock: clock)
        server.fill(Self.ada, count: 30)
        for number in 1...20 {
            let text = "Subject: \(number)\r\nMessage-ID: <t\(number)@example.org>\r\n\r\nText.\r\n"
            server.deliver(Data(text.utf8), to: Self.ada, mailbox: RemoteMailboxID("trash"))
        }
        let test = try await TestKernel(
            isStarted: false, clock: clock, server: server, wrap: { ScriptedSession($0, script) })
        let seen = Watched(Seen())
        // Before a batch is asked for, what was stored before has been told.
        script.change { script in
            script.beforeBatch = { _ in
                let status = test.kernel.accounts.status.all.statuses[test.ada]
                guard let inbox = try? await test.mailbox(.inbox), let trash = try? await test.mailbox(.trash)
                else { return }
                let answer = try? await test.calls([
                    ("SyncStatus/get", ["accountId": "program", "ids": [.string(test.ada.rawValue)]])
                ])
                let json = answer?.first?["list"].arrayValue?.first?["mailboxProgress"]
                seen.withLock { seen in
                    if let progress = status?.mailboxes[inbox] { seen.inbox.append(progress) }
                    if let progress = status?.mailboxes[trash] { seen.trash.append(progress) }
                    if let done = json?[inbox.rawValue] { seen.json.append(done) }
                }
            }
        }
        try await test.start()
        try await test.wait(for: "all mail") {
            let isListening =
                test.kernel.accounts.status.all.statuses[test.ada]?.phase == .listening
            return try await test.emailIDs().count == 50 && isListening
        }
        // A later round has nothing to count.
        let inbox = seen.value.inbox.prefix { $0.total == 30 }.map(\.done)
        #expect(inbox == inbox.sorted() && Set(inbox).count >= 3 && inbox.last == 30)
        #expect(Set(inbox).isSubset(of: [7, 14, 21, 28, 30]))
        #expect(seen.value.trash.contains { $0.total == 20 && [7, 14, 20].contains($0.done) })
        #expect(seen.value.json.first?["total"] == 30 && (seen.value.json.first?["done"]?.intValue ?? 0) >= 7)
        // Once all is read there is nothing to count.
        #expect(test.kernel.accounts.status.all.statuses[test.ada]?.mailboxes.isEmpty == true)
        await test.kernel.stop()
    }
}
