import MailKernelAPI
import Sieve

/// Rules as clients write them.
extension RuleSheet.Entry {
    package var json: [String: JSONValue] {
        switch self {
        case .text(let text): ["kind": "text", "text": .string(text)]
        case .rule(let rule):
            [
                "kind": "rule", "name": .string(rule.name), "isOn": .bool(rule.isOn),
                "joining": rule.joining == .all ? "all" : "any",
                "conditions": .array(rule.conditions.map { .object($0.json) }),
                "actions": .array(rule.actions.map { .object($0.json) }),
            ]
        }
    }

    /// - Throws: `ScriptProblem` with a sentence that says what is wrong.
    package init(json: JSONValue) throws(ScriptProblem) {
        switch json["kind"]?.stringValue {
        case "text": self = .text(json["text"]?.stringValue ?? "")
        case "rule": self = .rule(try SieveRule(json: json))
        default: throw Self.problem("An entry is either a rule or text.")
        }
    }

    static func problem(_ sentence: String) -> ScriptProblem {
        ScriptProblem(kind: .invalidSieve, sentence: sentence)
    }
}

extension SieveRule {
    package init(json: JSONValue) throws(ScriptProblem) {
        let name = (json["name"]?.stringValue ?? "").filter { !$0.isNewline }
        guard !name.isEmpty, name.utf8.count <= 500 else {
            throw RuleSheet.Entry.problem("A rule needs a name of at most 500 bytes.")
        }
        var conditions: [SieveRuleCondition] = []
        for condition in json["conditions"]?.arrayValue ?? [] {
            conditions.append(try SieveRuleCondition(json: condition))
        }
        var actions: [SieveRuleAction] = []
        for action in json["actions"]?.arrayValue ?? [] { actions.append(try SieveRuleAction(json: action)) }
        guard !actions.isEmpty else { throw RuleSheet.Entry.problem("The rule “\(name)” does nothing yet.") }
        self.init(
            name: name, isOn: json["isOn"]?.boolValue ?? true,
            joining: json["joining"]?.stringValue == "any" ? .any : .all, conditions: conditions,
            actions: actions)
    }
}

extension SieveRuleCondition {
    fileprivate var json: [String: JSONValue] {
        let (field, value): (String, JSONValue?) =
            switch subject {
            case .from(let text): ("from", .string(text))
            case .sender(let text): ("sender", .string(text))
            case .domain(let text): ("domain", .string(text))
            case .toOrCc(let text): ("to", .string(text))
            case .subject(let text): ("subject", .string(text))
            case .list(let text): ("list", .string(text))
            case .words(let text): ("words", .string(text))
            case .largerThan(let size): ("larger", .number(Double(size)))
            case .smallerThan(let size): ("smaller", .number(Double(size)))
            case .hasAttachment: ("attachment", nil)
            case .savedSearch(let id): ("search", .string(id))
            }
        return ["field": .string(field), "value": value ?? .null, "isNegated": .bool(isNegated)]
    }

    fileprivate init(json: JSONValue) throws(ScriptProblem) {
        let text = json["value"]?.stringValue
        let size = json["value"]?.intValue.flatMap { $0 >= 0 ? $0 : nil }
        let subject: Subject? =
            switch json["field"]?.stringValue {
            case "from": text.map { .from($0) }
            case "sender": text.map { .sender($0) }
            case "domain": text.map { .domain($0) }
            case "to": text.map { .toOrCc($0) }
            case "subject": text.map { .subject($0) }
            case "list": text.map { .list($0) }
            case "words": text.map { .words($0) }
            case "larger": size.map { .largerThan($0) }
            case "smaller": size.map { .smallerThan($0) }
            case "attachment": .hasAttachment
            case "search": text.map { .savedSearch($0) }
            default: nil
            }
        guard let subject, text?.isEmpty != true else {
            throw RuleSheet.Entry.problem("A condition has no value, or an unknown field.")
        }
        self.init(subject, isNegated: json["isNegated"]?.boolValue ?? false)
    }
}

extension SieveRuleAction {
    fileprivate var json: [String: JSONValue] {
        let (verb, value): (String, String?) =
            switch self {
            case .move(let mailbox): ("move", mailbox)
            case .label(let label): ("label", label)
            case .archive: ("archive", nil)
            case .star: ("star", nil)
            case .markRead: ("read", nil)
            case .trash: ("trash", nil)
            case .forward(let address): ("forward", address)
            case .notify: ("notify", nil)
            case .stop: ("stop", nil)
            }
        return ["verb": .string(verb), "value": value.map { .string($0) } ?? .null]
    }

    fileprivate init(json: JSONValue) throws(ScriptProblem) {
        let value = json["value"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        let action: SieveRuleAction? =
            switch json["verb"]?.stringValue {
            case "move": value.map { .move(to: $0) }
            case "label": value.map { .label($0) }
            case "archive": .archive
            case "star": .star
            case "read": .markRead
            case "trash": .trash
            case "forward": value.map { .forward(to: $0) }
            case "notify": .notify
            case "stop": .stop
            default: nil
            }
        guard let action else {
            throw RuleSheet.Entry.problem("An action has no folder or address, or is unknown.")
        }
        self = action
    }
}
