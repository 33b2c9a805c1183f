import MailKernelAPI
import StoreRules
import Testing

/// FR-SYNC-06: without references, threads are formed by the normalized subject.
@Suite("Subjects are compared without what mail programs add") struct SubjectTests {
    @Test(arguments: [
        ("Lunch", "lunch"), ("Re: Lunch", "lunch"), ("RE: re: Fwd: Lunch", "lunch"),
        ("AW: WG: Lunch", "lunch"),
        ("Re[2]: Lunch", "lunch"), ("Re (3): Lunch", "lunch"), ("[list] Re: [list] Lunch", "lunch"),
        ("  Lunch \t at\n noon ", "lunch at noon"), ("Antw: SV: Lunch", "lunch"), ("回复：午饭", "午饭"),
        ("Report: Lunch", "report: lunch"), ("Re:", ""), ("", ""), ("[tag]", "[tag]"), ("[tag", "[tag"),
        ("Research: food", "research: food"), ("Antwort: Mittag", "mittag"), ("회신: 점심", "점심"),
        ("R: Pranzo", "pranzo"),
        ("i: claudius", "i: claudius"), ("10: things", "10: things"),
    ])
    func normalizedSubject(_ subject: String, _ expected: String) {
        #expect(Threading.normalizedSubject(subject) == expected)
    }

    @Test func aHostileSubjectTakesNoTime() {
        let subject = String(repeating: "Re: [x] ", count: 20_000) + "end"
        #expect(Threading.normalizedSubject(subject) == "end")
    }
}

/// FR-SYNC-06: strangers do not join a conversation through an id that is none.
@Suite("Emails are connected by Message-IDs alone") struct ConnectedMessagesTests {
    private static let people = EmailHeader(
        from: [EmailAddress(email: "shop@shop.example")], to: [EmailAddress(email: "Me@ex.example")])

    @Test(arguments: ["me@ex.example", "shop@shop.example", "none", "@", "a@", "@b", ""])
    func whatIsNoMessageIDConnectsNothing(_ text: String) {
        var header = Self.people
        header.inReplyTo = [text]
        header.references = [text]
        header.messageID = [text]
        #expect(header.connectedMessages.isEmpty)
    }

    @Test(arguments: ["1@x", "20020101123456.ABCDEF", "a@b@c"])
    func aMessageIDDoes(_ text: String) {
        var header = Self.people
        header.inReplyTo = [text]
        #expect(header.connectedMessages == [text])
    }

    /// One of them need not have written it.
    @Test func severalAuthorsAreNoCorrespondents() {
        var header = Self.people
        header.subject = "Re: Offer"
        #expect(SubjectLink(header) != nil)
        header.from.append(EmailAddress(email: "boss@work.example"))
        #expect(SubjectLink(header) == nil)
    }
}
