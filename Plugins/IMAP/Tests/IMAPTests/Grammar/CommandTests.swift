import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Commands are written") struct CommandTests {
    @Test(arguments: [
        (Command.select(.inbox, condStore: true), "SELECT INBOX (CONDSTORE)"),
        (.select(MailboxName(wire: "a b"), knows: (3, 9)), "SELECT \"a b\" (QRESYNC (3 9))"),
        (.fetch(UIDSet(1...5), "UID FLAGS", changedSince: 7), "UID FETCH 1:5 (UID FLAGS) (CHANGEDSINCE 7)"),
        (
            .store(UIDSet([1, 3]), adds: false, flags: ["\\Seen", "x"]),
            "UID STORE 1,3 -FLAGS.SILENT (\\Seen x)"
        ),
        (
            .list(specialUse: true, status: ["MESSAGES"]),
            "LIST \"\" \"*\" RETURN (SPECIAL-USE STATUS (MESSAGES))"
        ),
        (.list(specialUse: false, status: nil), "LIST \"\" \"*\""),
        (.id(name: "a\"b"), "ID (\"name\" \"a\\\"b\")"),
        (.search(extended: true) { $0.raw("UID").raw("1:*") }, "UID SEARCH RETURN (ALL) UID 1:*"),
        (Command("X").astring("NIL"), "X \"NIL\""), (Command("X").astring(""), "X \"\""),
        (Command("X").astring("a\\b\"c"), "X \"a\\\\b\\\"c\""), (Command("X").astring("a)b"), "X \"a)b\""),
    ])
    func asTheyShouldBe(_ command: Command, _ text: String) {
        #expect(command.parts == [.text(text)])
    }

    @Test(arguments: ["ü", "a\r\nb", "\u{0}", String(repeating: "x y", count: 500)])
    func whatCannotBeQuotedIsALiteral(_ text: String) {
        #expect(
            Command("X").astring(text).raw("Y").parts == [
                .text("X "), .literal(Data(text.utf8)), .text(" Y"),
            ])
    }

    /// What comes from a user or a message cannot become a command of its own.
    @Test func noArgumentEndsTheCommand() {
        var session = IMAPSession()
        _ = session.begin(.create(MailboxName(wire: "x\r\na2 DELETE INBOX")))
        var bytes = Data()
        while case .bytes(let some)? = session.nextOutput() { bytes += some }
        #expect(
            String(decoding: bytes, as: UTF8.self) == "a1 CREATE {18}\r\n", "the server has to agree first")
    }
}
