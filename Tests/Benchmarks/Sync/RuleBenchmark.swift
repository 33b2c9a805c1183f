import FoundationEssentials
import MailKernelAPI

/// What 20 rules add to a sync of 1,000 messages that arrive at once.
enum RuleBenchmark {
    private static let rules = 20
    private static let arriving = 1_000
    /// The messages are of so many groups, and each rule is about one of them.
    private static let groups = 25
    private static let rounds = 5

    static func run(_ report: inout Report) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("rules.", "dovecot-imapd is not installed")
        }
        let service = try await BenchMailService(messages: 2_000)
        let program = try await BenchProgram(service)
        try await program.signIn(service)
        try program.begin()
        try await program.wait(for: "the first sync") {
            try program.isListening() && program.count([:]) == 2_000
        }
        var (without, with): ([Double], [Double]) = ([], [])
        for round in 0..<Self.rounds {
            try use(0, in: program)
            without.append(try await arrival(2 * round, starred: 0, service, program))
            try use(Self.rules, in: program)
            let starred = arriving / groups * Self.rules
            with.append(try await arrival(2 * round + 1, starred: starred, service, program))
        }
        report.add(
            Figure(
                "rules.sync", "\(arriving) messages that arrive at once, until \(Self.rules) rules have run",
                middle(with), "s", against: "without rules", middle(without), goal: 1.1))
        await program.end()
        await service.stop()
    }

    private static func use(_ count: Int, in program: BenchProgram) throws {
        let entries = (0..<count).map { number -> JSONValue in
            let group = number < 10 ? "-g0\(number)-" : "-g\(number)-"
            return [
                "kind": "rule", "name": .string("Rule \(number)"), "isOn": true, "joining": "all",
                "conditions": [["field": "subject", "value": .string(group)]],
                "actions": [["verb": "star", "value": .null]],
            ]
        }
        // Without an active script nothing is noted of arriving mail either.
        if count == 0 { try program.call("SieveScript/set", ["onSuccessDeactivateScript": true]) }
        if count > 0 {
            try program.call("RuleList/set", ["update": ["singleton": ["entries": .array(entries)]]])
        }
    }

    /// The seconds from when they are on the server until they are here and have their stars.
    private static func arrival(
        _ number: Int, starred: Int, _ service: BenchMailService, _ program: BenchProgram
    ) async throws -> Double {
        let began = try await service.number("burst", "\(number)")
        try program.call("SyncStatus/refresh", ["accountId": "program", "ids": [.string(program.account)]])
        let these: JSONValue = ["subject": .string("burst\(number)")]
        let stars: JSONValue = [
            "operator": "AND", "conditions": [these, ["hasKeyword": "$flagged"]],
        ]
        try await program.wait(for: "the messages") {
            try program.count(these) == arriving && program.count(stars) == starred
        }
        let ended = Date().timeIntervalSince1970
        // The stars are sent to the server before the next messages come.
        try await program.wait(for: "the end of the round", every: 50) { try program.isListening() }
        return ended - began
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
