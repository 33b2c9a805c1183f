extension SieveRule {
    /// What its commands need.
    static let extensions = ["body", "copy", "fileinto", "imap4flags", "mime"]
    private static let titleStart = "rule:["

    /// The rule as a command, with its name in a comment as other programs write it.
    func command(_ places: SieveRulePlaces) -> SieveCommand {
        var tests = conditions.map(\.test)
        // A rule that is off keeps its conditions beside one that never holds.
        if !isOn { tests = [SieveTest("false"), joined(tests)] }
        let test = isOn ? joined(tests) : SieveTest("allof", tests: tests)
        // Flags come first: a message is filed with those it has by then.
        let flags = actions.filter { $0.isFlag }
        let others = actions.filter { !$0.isFlag }
        return SieveCommand(
            "if", tests: [test], block: (flags + others).map { $0.command(places) },
            comments: ["\(Self.titleStart)\(name.filter { !$0.isNewline })]"])
    }

    private func joined(_ tests: [SieveTest]) -> SieveTest {
        if tests.isEmpty { return SieveTest("true") }
        return SieveTest(joining == .all ? "allof" : "anyof", tests: tests)
    }

    /// The rule that a command is; nil if the command says what no rule can.
    init?(_ command: SieveCommand, _ places: SieveRulePlaces) {
        guard command.name == "if", command.arguments.isEmpty, command.blockComments.isEmpty,
            command.tests.count == 1,
            command.comments.count == 1, let title = command.comments.first, title.hasPrefix(Self.titleStart),
            title.hasSuffix("]"), let block = command.block
        else { return nil }
        name = String(title.dropFirst(Self.titleStart.count).dropLast())
        var test = command.tests[0]
        isOn = !(test.name == "allof" && test.tests.count == 2 && test.tests[0] == SieveTest("false"))
        if !isOn { test = test.tests[1] }
        joining = test.name == "anyof" ? .any : .all
        guard test == SieveTest("true") || ["allof", "anyof"].contains(test.name) else { return nil }
        conditions = test.tests.compactMap(SieveRuleCondition.init)
        actions = block.compactMap { SieveRuleAction($0, places) }
        guard conditions.count == test.tests.count, actions.count == block.count else { return nil }
    }
}

extension SieveRuleCondition {
    private static let attachment = SieveTest(
        "header",
        [
            .tag("mime"), .tag("anychild"), .tag("contains"), .string("content-disposition"),
            .string("attachment"),
        ])

    fileprivate var test: SieveTest { isNegated ? SieveTest("not", tests: [plain]) : plain }

    private var plain: SieveTest {
        switch subject {
        case .from(let text): Self.field(.string("from"), text)
        case .sender(let address):
            SieveTest("address", [.tag("is"), .string("from"), .string(address)])
        case .domain(let domain):
            SieveTest("address", [.tag("is"), .tag("domain"), .string("from"), .string(domain)])
        case .toOrCc(let text): Self.field(.list(["to", "cc"]), text)
        case .subject(let text): Self.field(.string("subject"), text)
        case .list(let text): Self.field(.string("list-id"), text)
        case .words(let text):
            SieveTest(
                "anyof",
                tests: [
                    Self.field(.string("subject"), text),
                    SieveTest("body", [.tag("text"), .tag("contains"), .string(text)]),
                ])
        case .largerThan(let size): SieveTest("size", [.tag("over"), .number(size)])
        case .smallerThan(let size): SieveTest("size", [.tag("under"), .number(size)])
        case .hasAttachment: Self.attachment
        case .savedSearch(let id): SieveTest("savedsearch", [.string(id)])
        }
    }

    private static func field(_ names: SieveArgument, _ text: String) -> SieveTest {
        SieveTest("header", [.tag("contains"), names, .string(text)])
    }

    /// The condition that is written as this test, so that nothing of the test is lost; nil if there is none.
    fileprivate init?(_ test: SieveTest) {
        let plain = test.name == "not" ? test.tests.first : test
        let argument = (plain?.arguments ?? []).last ?? plain?.tests.last?.arguments.last
        let candidates: [Subject] =
            switch argument?.value {
            case .string(let text)?:
                [
                    .from(text), .sender(text), .domain(text), .toOrCc(text), .subject(text), .list(text),
                    .words(text), .hasAttachment, .savedSearch(text),
                ]
            case .number(let size)?: [.largerThan(size), .smallerThan(size)]
            case .list, .tag, nil: []
            }
        let conditions = candidates.map { Self($0, isNegated: test.name == "not") }
        guard let condition = conditions.first(where: { $0.test == test }) else { return nil }
        self = condition
    }
}

extension SieveRuleAction {
    var isFlag: Bool { self == .star || self == .markRead }

    fileprivate func command(_ places: SieveRulePlaces) -> SieveCommand {
        switch self {
        case .move(let mailbox): SieveCommand("fileinto", [.string(mailbox)])
        case .label(let label): SieveCommand("fileinto", [.tag("copy"), .string(label)])
        case .archive: SieveCommand("fileinto", [.string(places.archive)])
        case .star: SieveCommand("addflag", [.string("\\Flagged")])
        case .markRead: SieveCommand("addflag", [.string("\\Seen")])
        case .trash: SieveCommand("fileinto", [.string(places.trash)])
        case .forward(let address): SieveCommand("redirect", [.tag("copy"), .string(address)])
        case .notify: SieveCommand("notify", [.string(SieveNotification.onScreen)])
        case .stop: SieveCommand("stop")
        }
    }

    /// The action that is written as this command; nil if there is none.
    fileprivate init?(_ command: SieveCommand, _ places: SieveRulePlaces) {
        var candidates: [Self] = [.archive, .trash, .star, .markRead, .notify, .stop]
        if case .string(let text)? = command.arguments.last?.value {
            candidates += [.move(to: text), .label(text), .forward(to: text)]
        }
        guard let action = candidates.first(where: { $0.command(places) == command }) else { return nil }
        self = action
    }
}
