import MailKernelAPI
import Sieve

/// A script as people see it: its rules, and the commands between them that no rule can express, as text.
package struct RuleSheet: Sendable {
    package enum Entry: Sendable {
        case rule(SieveRule)
        case text(String)
    }

    package var entries: [Entry]
    private let list: SieveRuleList
    private let places: SieveRulePlaces

    /// - Throws: `ScriptProblem` if it is not a script.
    package init(_ text: String, places: SieveRulePlaces) throws(ScriptProblem) {
        do {
            list = SieveRuleList(try SieveScript(parsing: text), places: places)
        } catch {
            throw ScriptProblem(kind: .invalidSieve, sentence: "\(error)")
        }
        self.places = places
        entries = list.entries.map { entry in
            switch entry {
            case .rule(let rule): .rule(rule)
            case .commands(let commands): .text(SieveScript(commands).text)
            }
        }
    }

    /// The script with these entries, and with all that stands outside of them as it was.
    package func text() throws(ScriptProblem) -> String {
        var list = list
        var all: [SieveRuleList.Entry] = []
        for entry in entries {
            switch entry {
            case .rule(let rule): all.append(.rule(rule))
            case .text(let text):
                do {
                    all.append(.commands(try SieveScript(parsing: text).commands))
                } catch {
                    throw ScriptProblem(kind: .invalidSieve, sentence: "\(error)")
                }
            }
        }
        list.entries = all
        return list.script(places: places).text
    }

    /// The script of one rule alone, as if it were on.
    package static func text(ofRule json: JSONValue, places: SieveRulePlaces) throws(ScriptProblem) -> String
    {
        var rule = try SieveRule(json: json)
        rule.isOn = true
        return SieveRuleList([rule]).script(places: places).text
    }

    /// A script with other entries.
    package static func text(
        withEntries entries: [JSONValue], insteadOf text: String, places: SieveRulePlaces
    ) throws(ScriptProblem) -> String {
        var sheet = try RuleSheet(text, places: places)
        sheet.entries = []
        for entry in entries { sheet.entries.append(try Entry(json: entry)) }
        return try sheet.text()
    }
}
