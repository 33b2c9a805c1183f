import StoreRules
import Testing

/// FR-SYNC-06: without references, threads are formed by the normalised subject.
@Suite("Subjects are compared without what mail programs add") struct SubjectTests {
    @Test(arguments: [
        ("Lunch", "lunch"), ("Re: Lunch", "lunch"), ("RE: re: Fwd: Lunch", "lunch"),
        ("AW: WG: Lunch", "lunch"),
        ("Re[2]: Lunch", "lunch"), ("Re (3): Lunch", "lunch"), ("[list] Re: [list] Lunch", "lunch"),
        ("  Lunch \t at\n noon ", "lunch at noon"), ("Antw: SV: Lunch", "lunch"), ("回复：午饭", "午饭"),
        ("Report: Lunch", "report: lunch"), ("Re:", ""), ("", ""), ("[tag]", "[tag]"), ("[tag", "[tag"),
        ("Research: food", "research: food"), ("10: things", "10: things"),
    ])
    func normalisedSubject(_ subject: String, _ expected: String) {
        #expect(Threading.normalizedSubject(subject) == expected)
    }

    @Test func aHostileSubjectTakesNoTime() {
        let subject = String(repeating: "Re: [x] ", count: 20_000) + "end"
        #expect(Threading.normalizedSubject(subject) == "end")
    }
}
