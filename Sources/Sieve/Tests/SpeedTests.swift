import Testing

@testable import Sieve

@Suite("Rules cost little") struct SpeedTests {
    /// Prints the figure; only a gross regression fails, since the build is not optimized.
    @Test func twentyRulesOnAThousandMessages() throws {
        let rules = (0..<20).map { number in
            """
            if anyof (address :domain "from" "list\(number).example", header :contains "subject" ["sale \(number)", "offer"],
                header :matches "list-id" "*team\(number)*") { fileinto "Folder \(number)"; stop; }
            """
        }
        let script = "require [\"fileinto\"];\n" + rules.joined(separator: "\n")
        let program = try SieveProgram(parsing: Array(script.utf8))
        let messages = (0..<1_000).map { RawMessage(MessageMaker.made($0)) }
        let time = try ContinuousClock().measure {
            for message in messages { _ = try program.verdict(on: message, host: PlainHost()) }
        }
        print("20 rules on 1,000 messages: \(time)")
        #expect(time < .seconds(30))
    }
}
