import Foundation
import Testing

@testable import Rules

/// ORG-21: which rules can run at a service, in the order in which they stand.
@Suite("A script is split between a service and this computer") struct ServicePlanTests {
    private static let offer = ServiceOffer(
        extensions: ["fileinto", "imap4flags", "vacation", "body", "mime", "copy", "date", "relational"],
        folders: ["bills": "INBOX.Bills", "lists/swift": "INBOX.Lists.Swift", "trash": "Trash"],
        addresses: ["ada@example.org", "ada@work.example"])
    private static let needs =
        "require [\"fileinto\", \"imap4flags\", \"vacation\", \"body\", \"copy\", \"mime\", \"date\", \"relational\"];\n"

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let star =
        "# rule:[Star]\nif allof (header :contains \"subject\" \"urgent\") { addflag \"\\\\Flagged\"; }\n"
    private static let move =
        "# rule:[Move]\nif allof (header :contains \"subject\" \"bill\") { fileinto \"Bills\"; }\n"
    private static let moveStop =
        "# rule:[MoveStop]\nif allof (header :contains \"subject\" \"swift\") { fileinto \"Lists/Swift\"; stop; }\n"
    private static let forward =
        "# rule:[Forward]\nif allof (header :contains \"from\" \"bob\") { redirect :copy \"x@y.example\"; }\n"
    private static let label = "# rule:[Label]\nif true { fileinto :copy \"Bills\"; }\n"
    private static let away = "# rule:[Away]\nif true { vacation :days 3 \"I am away.\"; }\n"
    private static let off = "# rule:[Off]\nif allof (false, true) { discard; }\n"
    private static let drop = "# rule:[Drop]\nif address :is \"from\" \"a@b.example\" { discard; }\n"
    private static let unknown = "# rule:[Unknown]\nif true { fileinto \"Nowhere\"; stop; }\n"

    private static func plan(_ rules: String...) -> ServicePlan {
        ServicePlan(needs + rules.joined(), offer)
    }

    private static func there(_ plan: ServicePlan) -> [String?] {
        plan.entries.filter { $0.reason == nil && !$0.isOff }.map(\.title)
    }

    @Test func aWholeScriptRunsThere() throws {
        let plan = Self.plan(Self.away, Self.star, Self.moveStop, Self.move)
        #expect(Self.there(plan) == ["Away", "Star", "MoveStop", "Move"])
        let text = try #require(plan.text(.one))
        #expect(text.contains("addflag \"$MailKernelRulesA\";"))
        #expect(text.contains("fileinto \"INBOX.Lists.Swift\";"))
        // A second rule that files would make a second message.
        #expect(text.contains("fileinto \"INBOX.Bills\";\n    stop;"))
        #expect(text.contains("vacation :addresses [\"ada@example.org\", \"ada@work.example\"] :days 3"))
        #expect(try #require(plan.text(.other)).contains("$MailKernelRulesB"))
    }

    /// ACC-51: where messages can be in several mailboxes, as at JMAP services, mailboxes are named by their ids.
    @Test func withLabelsMailboxesHaveIds() throws {
        var labels = Self.offer
        labels.hasLabels = true
        labels.mailboxIDs = ["lists/swift": "M1", "bills": "M2"]
        func plan(_ rules: String...) -> ServicePlan { ServicePlan(Self.needs + rules.joined(), labels) }
        #expect(plan(Self.moveStop).entries[0].reason == "The service does not support “mailboxid”.")
        labels.extensions.insert("mailboxid")
        let text = try #require(plan(Self.star, Self.moveStop).text(.one))
        #expect(text.contains("fileinto :mailboxid \"M1\" \"INBOX.Lists.Swift\";"))
        #expect(text.contains("\"mailboxid\""))
        // Here, a message can get further labels from later rules.
        #expect(plan(Self.star, Self.move).entries[1].reason == StaysHere.labels.sentence)
        #expect(plan(Self.label).text(.one) == nil)
    }

    @Test func rulesAfterOneThatStaysStay() {
        let plan = Self.plan(Self.star, Self.forward, Self.moveStop)
        #expect(Self.there(plan) == ["Star"])
        #expect(plan.entries[1].reason == "mailkernel forwards messages itself, within its limits.")
        #expect(plan.entries[2].reason == StaysHere.earlier.sentence)
    }

    /// Rules here never see mail that a rule there has moved.
    @Test func theScriptIsCutAtARuleThatMovesAndGoesOn() {
        let cut = Self.plan(Self.star, Self.move, Self.moveStop, Self.forward)
        #expect(Self.there(cut) == ["Star"])
        #expect(cut.entries[1].reason == StaysHere.moves.sentence)
        #expect(cut.entries[2].reason == StaysHere.earlier.sentence)
        // One that stops may move: no rule here would have seen the message either.
        #expect(Self.there(Self.plan(Self.moveStop, Self.star, Self.forward)) == ["MoveStop", "Star"])
        // The keyword would be skipped, and the reply.
        #expect(Self.there(Self.plan(Self.moveStop, Self.move, Self.star)) == ["MoveStop"])
        #expect(Self.there(Self.plan(Self.star, Self.move, Self.away)) == ["Star"])
    }

    @Test func whatMeansSomethingElseThereStays() {
        for rule in [Self.label, Self.drop, Self.unknown] {
            #expect(Self.plan(rule).text(.one) == nil, "\(rule)")
        }
        #expect(Self.there(Self.plan(Self.off, Self.star)) == ["Star"])
        let variables = ServicePlan("require [\"variables\", \"imap4flags\"];\n" + Self.star, Self.offer)
        #expect(variables.served.isEmpty)
        var poor = Self.offer
        poor.extensions = ["imap4flags"]
        let plan = ServicePlan(Self.needs + Self.moveStop, poor)
        #expect(plan.entries[0].reason == "The service does not support “fileinto”.")
        for test in [
            "header :regex \"subject\" \"x\"", "body :raw :contains \"x\"", "environment :is \"name\" \"x\"",
            "currentdate :is \"hour\" \"1\"", "hasflag :is \"x\"", "header :matches \"subject\" \"a?c*\"",
        ] {
            #expect(Self.plan("if \(test) { addflag \"\\\\Seen\"; }").served.isEmpty, "\(test)")
        }
    }

    /// What was changed there by another program counts as ours as far as it is left.
    @Test func anEditLeavesWhatItLeaves() throws {
        let plan = Self.plan(Self.star, Self.moveStop)
        var state = ServiceRules()
        let text = try #require(plan.text(.one))
        state.note(text, .one, plan.served, at: Self.start)
        #expect(state.isOurs(text) && state.isOurs(text.replacing("\n", with: "\r\n")))
        #expect(state.haveRun(on: [ServiceMark.one.keyword], at: Self.start).count == 2)
        #expect(state.haveRun(on: [ServiceMark.other.keyword], at: Self.start).isEmpty)
        let edited = text.replacing("swift", with: "rust") + "\n# a comment\ndiscard;\n"
        #expect(!state.isOurs(edited))
        state.noteForeign(edited)
        #expect(state.haveRun(on: [ServiceMark.one.keyword], at: Self.start) == [plan.served[0].key])
    }

    /// A message keeps the meaning of its mark as long as it may wait for its rules.
    @Test func aMarkIsNotUsedAgainTooSoon() {
        var state = ServiceRules()
        let (first, second) = (Self.plan(Self.star), Self.plan(Self.star, Self.moveStop))
        func put(_ plan: ServicePlan, _ mark: ServiceMark, _ seconds: Double) {
            state.note(plan.text(mark) ?? "", mark, plan.served, at: Self.start + seconds)
        }
        func ran(_ mark: ServiceMark, _ seconds: Double) -> Set<String> {
            state.haveRun(on: [mark.keyword], at: Self.start + seconds)
        }
        for (number, mark) in ServiceMark.allCases.enumerated() {
            let plan = Self.plan("# rule:[\(number)]\nif size :over \(number) { addflag \"\\\\Seen\"; }\n")
            #expect(state.freeMark(for: plan, besides: nil) == mark)
            put(plan, mark, Double(number))
            #expect(state.freeMark(for: plan, besides: nil) == mark)
        }
        // Off, changed and on again: the mark of the longest ago.
        #expect(state.freeMark(for: first, besides: nil) == .one)
        #expect(state.freeMark(for: first, besides: .one) == .other)
        put(first, .one, 10)
        #expect(ran(.one, 10).isEmpty && ran(.one, 10 + ServiceRules.longestWait) == Set(first.units))
        // The same after a while, when no message from before can wait.
        let late = 20 + ServiceRules.longestWait
        put(first, .other, late)
        #expect(ran(.other, late) == Set(first.units))
        put(second, .other, late + 1)
        #expect(ran(.other, late + 1) == Set(first.units))
        #expect(ran(.other, late + 1 + ServiceRules.longestWait) == Set(second.units))
    }
}
