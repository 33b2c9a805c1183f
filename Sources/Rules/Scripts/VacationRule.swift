import FoundationEssentials
import MailKernelAPI
import Sieve

/// The vacation reply of an account: one unit of its active script, before all rules, so that a rule that moves a message
/// does not keep it from being answered.
package struct VacationRule: Sendable, Hashable {
    package static let title = "Vacation reply"
    /// Bytes of the text and of the subject.
    package static let longestText = 16_384
    package static let longestSubject = 500
    private static let days = 7
    private static let extensions = ["date", "relational", "vacation"]

    package var isOn = false
    package var from: Date?
    package var to: Date?
    package var subject: String?
    package var text = ""

    package init() {}

    /// The reply in a script; off and empty if there is none.
    package init(in script: String) {
        let units = (try? SieveScript(parsing: script)).map(ScriptUnit.all) ?? []
        self = units.lazy.compactMap(Self.init).first ?? Self()
    }

    /// The reply that a unit is; nil if it is not exactly as this program writes it. A user may have given a rule of their
    /// own this name.
    private init?(_ unit: ScriptUnit) {
        guard unit.commands.count == 1, unit.title == Self.title else { return nil }
        self.init(reading: unit)
        guard command == unit.commands[0] else { return nil }
    }

    private init(reading unit: ScriptUnit) {
        let command = unit.commands[0]
        guard let reply = command.block?.first(where: { $0.name == "vacation" }),
            case .string(let text)? = reply.arguments.last?.value
        else { return }
        self.text = text
        isOn = !unit.isOff
        for (index, argument) in reply.arguments.enumerated().dropLast() where argument == .tag("subject") {
            if case .string(let subject) = reply.arguments[index + 1].value { self.subject = subject }
        }
        for test in command.tests.flatMap(\.tests) where test.name == "currentdate" {
            guard case .string(let date)? = test.arguments.last?.value else { continue }
            let read = try? Date(date.replacing("+00:00", with: "Z"), strategy: .iso8601)
            if test.arguments.contains(.string("ge")) { from = read } else { to = read }
        }
    }

    /// The script with this reply. One that says nothing is taken out.
    package func written(into script: String) throws(ScriptProblem) -> String {
        try check()
        var changed: SieveScript
        do {
            changed = try SieveScript(parsing: script)
        } catch {
            throw ScriptProblem(kind: .invalidSieve, sentence: "\(error)")
        }
        let named = ScriptUnit.all(in: changed).filter { $0.title == Self.title }
        guard named.allSatisfy({ Self($0) != nil }) else {
            throw ScriptProblem(
                kind: .nameTaken,
                sentence: "Another rule is named “\(Self.title)”. Give it another name first.")
        }
        let isThere = !named.isEmpty
        changed.commands.removeAll { LoadedScript.title(of: $0) == Self.title }
        guard isOn || !text.isEmpty else { return isThere ? changed.text : script }
        let missing = Self.extensions.filter { !ScriptUnit.required(by: changed).contains($0) }
        if !missing.isEmpty {
            changed.commands.insert(SieveCommand("require", [.list(missing)]), at: 0)
        }
        let place = changed.commands.firstIndex { $0.name != "require" } ?? changed.commands.count
        changed.commands.insert(command, at: place)
        return changed.text
    }

    static let tooLong = ScriptProblem(kind: .tooLarge, sentence: "The vacation reply is too long.")

    /// - Parameter hasHTML: there is a text besides this one.
    func check(hasHTML: Bool = false) throws(ScriptProblem) {
        guard !isOn || !text.isEmpty || hasHTML else {
            throw ScriptProblem(kind: .invalidSieve, sentence: "The vacation reply has no text.")
        }
        guard text.utf8.count <= Self.longestText, (subject ?? "").utf8.count <= Self.longestSubject else {
            throw Self.tooLong
        }
        guard (subject ?? "").unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw ScriptProblem(kind: .invalidSieve, sentence: "The subject must be one line.")
        }
        if let from, let to, to <= from {
            throw ScriptProblem(
                kind: .invalidSieve, sentence: "The vacation reply ends before it begins.")
        }
    }

    private var command: SieveCommand {
        var tests = [SieveTest(isOn ? "true" : "false")]
        if let from { tests.append(Self.test("ge", from)) }
        if let to { tests.append(Self.test("le", to)) }
        var arguments: [SieveArgument] = [.tag("days"), .number(Self.days)]
        if let subject, !subject.isEmpty { arguments += [.tag("subject"), .string(subject)] }
        return SieveCommand(
            "if", tests: [SieveTest("allof", tests: tests)],
            block: [SieveCommand("vacation", arguments + [.string(text)])],
            comments: ["rule:[\(Self.title)]"])
    }

    private static func test(_ relation: String, _ date: Date) -> SieveTest {
        let text = date.formatted(.iso8601).replacing("Z", with: "+00:00")
        return SieveTest(
            "currentdate",
            [
                .tag("zone"), .string("+0000"), .tag("value"), .string(relation), .string("iso8601"),
                .string(text),
            ])
    }
}

extension UserScripts {
    /// Changes the vacation reply in the active script; makes one if there is none.
    package func setVacation(
        in accountID: Id<Account>, _ change: @Sendable (inout VacationRule) throws -> Void
    ) async throws {
        if let active = try await active(in: accountID) {
            return try await update(active.id, in: accountID) { script in
                var rule = VacationRule(in: script.text)
                try change(&rule)
                script.text = try rule.written(into: script.text)
            }
        }
        var rule = VacationRule()
        try change(&rule)
        let text = try rule.written(into: "")
        guard !text.isEmpty else { return }
        _ = try await create(name: nil, text: text, isActive: true, in: accountID)
    }
}
