import Sieve

extension UnitReader {
    private static let matching: Set<String> = ["is", "contains", "matches"]
    private static let addressing: Set<String> = ["all", "localpart", "domain"]
    private static let everyServerHas: Set<String> = ["i;octet", "i;ascii-casemap"]

    /// Checks a test of which it is certain that services understand it as this program does.
    mutating func test(_ test: SieveTest) throws(StaysHere) {
        for inner in test.tests { try self.test(inner) }
        switch test.name {
        case "true", "false", "not", "allof", "anyof", "exists": break
        case "size": try tags(of: test, ["over", "under"])
        case "header":
            try tags(of: test, Self.matching.union(["comparator", "mime", "anychild"]))
        case "address": try tags(of: test, Self.matching.union(Self.addressing).union(["comparator"]))
        case "body":
            try tags(of: test, Self.matching.union(["comparator", "text"]))
            guard test.arguments.contains(.tag("text")) else { throw .differs }
            need("body")
        case "currentdate":
            try tags(of: test, ["is", "value", "zone", "comparator"])
            // Without it, the zone of the server counts.
            guard test.arguments.contains(.tag("zone")) else { throw .differs }
            need("date")
        default: throw .differs
        }
    }

    private mutating func tags(of test: SieveTest, _ known: Set<String>) throws(StaysHere) {
        for (index, argument) in test.arguments.enumerated() {
            guard case .tag(let tag) = argument.value else { continue }
            guard known.contains(tag) else { throw .differs }
            switch tag {
            case "mime", "anychild": need("mime")
            // Pigeonhole 0.5.19 takes any text for one with `?` and what follows it.
            case "matches": guard !test.hasQuestionMark else { throw .differs }
            case "value": need("relational")
            case "comparator":
                guard index + 1 < test.arguments.count,
                    case .string(let name) = test.arguments[index + 1].value
                else { throw .differs }
                if !Self.everyServerHas.contains(name) { need("comparator-\(name)") }
            default: break
            }
        }
    }
}

extension SieveTest {
    fileprivate var hasQuestionMark: Bool {
        arguments.contains { argument in
            switch argument.value {
            case .string(let text): text.utf8.contains(UInt8(ascii: "?"))
            case .list(let texts): texts.contains { $0.utf8.contains(UInt8(ascii: "?")) }
            case .number, .tag: false
            }
        }
    }
}
