import MailKernelAPI
import Testing

@testable import IMAP

@Suite("Filters become criteria of a server") struct SearchCriteriaTests {
    private func criteria(_ filter: EmailFilter, hasRaw: Bool) -> [Command.Part]? {
        let directory = MailboxDirectory([], prefix: "", hasLabels: false, isUTF8: false)
        let inbox = RemoteMailboxID("INBOX")
        return SearchCriteria(filter, in: inbox, directory, hasRaw: hasRaw)?.add(Command("X")).parts
    }

    /// Without some of its words, an exclusion would exclude more than was asked for.
    @Test(arguments: [false, true]) func aLongTextIsExcludedAsAWhole(_ hasRaw: Bool) {
        let words = (1...21).map { "w\($0)" }
        let (long, short) = (words.joined(separator: " "), words.dropLast().joined(separator: " "))
        #expect(criteria(.not([.text(long)]), hasRaw: hasRaw) == [.text("X ALL")])
        #expect(criteria(.not([.text(short)]), hasRaw: hasRaw) != [.text("X ALL")])
        // What is found is checked here, so fewer words do no harm.
        #expect(criteria(.text(long), hasRaw: hasRaw) == criteria(.text(short), hasRaw: hasRaw))
    }
}
