import FoundationEssentials
import Mail
import MailKernelAPI

/// One action on a whole mailbox while the page is in use, and the return of snoozed messages.
enum ActionBenchmark {
    /// The beginnings of the ids that it measures.
    static let parts = ["action.", "snooze."]

    /// - Parameter only: the beginning of an id; nil for all.
    static func run(_ report: inout Report, only: String?, sizes: [Int]) async throws {
        let wanted = Selection(only: only)
        for size in sizes where size <= 50_000 {
            let isLargest = size == sizes.filter { $0 <= 50_000 }.max()
            let (due, acting) = (isLargest && wanted.includes("snooze.due"), wanted.includes("action."))
            guard due || acting else { continue }
            let program = try await MailboxProgram(size, with: [try mailboxesAreLabels()])
            // First: changes that wait for a service, of which there is none, come with every action.
            if due { try await SnoozeMeasure(program: program, size: size).run(&report) }
            if acting { try await ActionRun(program: program, size: size).measure(&report) }
            await program.end()
        }
        if wanted.includes("snooze.resume") { try await ResumeMeasure.run(&report) }
    }

    /// What the service of the account can do: labels, as the generated mail has them, and new mailboxes.
    static func mailboxesAreLabels() throws -> StorageChange {
        var map = RemoteMap()
        map.features = [.labels, .mailboxChanges]
        return try map.change(for: MailGenerator.account)
    }
}
