import Glibc
import Testing

@testable import Sieve

@Suite("Regular expressions are those of POSIX, in bounded time") struct RegexTests {
    private func search(_ pattern: String, _ text: String, steps: Int = 50_000_000) throws -> [Range<Int>?]? {
        let program = try RegexProgram(pattern, ignoringCase: true, limit: 4_000)
        return try RegexSearch.match(program, Array(text.utf8), needsGroups: true, budget: Budget(steps))
    }

    /// The range of the whole match, by the C library; nil without a match, and an error if it is refused.
    private func reference(_ pattern: String, _ text: String) throws -> Range<Int>? {
        var compiled = regex_t()
        guard regcomp(&compiled, pattern, REG_EXTENDED | REG_ICASE) == 0 else { throw SieveError("refused") }
        defer { regfree(&compiled) }
        var matches = [regmatch_t](repeating: regmatch_t(), count: 1)
        guard regexec(&compiled, text, 1, &matches, 0) == 0 else { return nil }
        return Int(matches[0].rm_so)..<Int(matches[0].rm_eo)
    }

    private func pattern(_ dice: inout Dice, depth: Int) -> String {
        (0..<dice.number(1...3)).map { _ in
            let inner = depth < 3 && dice.chance(40)
            var piece = dice.pick(["a", "b", "c", ".", "[ab]", "[^a]", "[[:digit:]b]", "\\.", "1", "A"])
            if inner { piece = "(\(pattern(&dice, depth: depth + 1)))" }
            piece += dice.chance(40) ? dice.pick(["*", "+", "?", "{2}", "{1,2}", "{2,}"]) : ""
            return piece + (dice.chance(15) ? "|" + dice.pick(["a", "bc", "c*"]) : "")
        }.joined()
    }

    @Test func theCLibraryFindsTheSame() throws {
        var dice = Dice(5)
        var matched = 0
        for _ in 0..<800 {
            let pattern =
                (dice.chance(20) ? "^" : "") + pattern(&dice, depth: 0) + (dice.chance(20) ? "$" : "")
            let text = (0..<dice.number(0...8)).map { _ in dice.pick(["a", "b", "c", "B", "1", "."]) }
                .joined()
            let theirs = try reference(pattern, text)
            let ours = try search(pattern, text)?[0]
            #expect(ours == theirs, "\(pattern) in \(text)")
            matched += theirs == nil ? 0 : 1
        }
        #expect(matched > 200)
    }

    @Test func groupsAreTold() throws {
        let found = try #require(try search("^([^@]+)@([a-z.]+)$", "ada@example.org"))
        #expect(found == [0..<15, 0..<3, 4..<15])
        #expect(try search("a(x)?b", "ab") == [0..<2, nil])
        #expect(try search("\\<b", "ab b")?[0] == 3..<4)
        #expect(try search("^.$", "ü")?[0] == 0..<2)
    }

    @Test(arguments: ["(a*)*b", "(a|aa)+$b", "(.*)(.*)(.*)(.*)x", "(a?){50}a{50}b"])
    func whatTakesOthersForeverEndsHere(_ pattern: String) throws {
        let text = String(repeating: "a", count: 1_000)
        #expect(try search(pattern, text) == nil)
    }

    @Test(arguments: [
        "(", "a)", "[a", "*a", "a{2", "a{3,2}", "a{999}", "(a)\\1", "[[:nothing:]]", "\\",
        "((a{100}){100}){100}",
        "a{0}{255}{255}{255}{255}{255}", "[b-a]",
    ])
    func whatCannotBeReadIsRefused(_ pattern: String) {
        #expect(throws: SieveError.self) { try search(pattern, "a") }
    }

    @Test func aHugeTextEndsByItsSteps() {
        let text = String(repeating: "ab", count: 50_000)
        #expect(throws: SieveError.self) { try search("(a|b){1,200}c", text, steps: 100_000) }
    }
}
