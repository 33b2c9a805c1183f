import MailKernelAPI

/// References to the results of earlier calls (RFC 8620, section 3.7).
enum ResultReference {
    /// The arguments with each `#name` replaced by the value it refers to. Copied data counts toward the
    /// budget, and so does the path to it.
    static func resolve(
        _ arguments: [String: JSONValue], in answers: [Answer], _ budget: inout AnswerBudget
    ) throws(MethodError) -> [String: JSONValue] {
        var resolved = arguments
        for (key, reference) in arguments where key.hasPrefix("#") {
            let name = String(key.dropFirst())
            guard arguments[name] == nil else {
                throw .invalidArguments(name, "is given as both a value and a reference")
            }
            resolved[key] = nil
            resolved[name] = try value(of: reference, in: answers, &budget)
        }
        return resolved
    }

    private static func value(
        of reference: JSONValue, in answers: [Answer], _ budget: inout AnswerBudget
    ) throws(MethodError) -> JSONValue {
        guard let callID = reference["resultOf"]?.stringValue, let name = reference["name"]?.stringValue,
            let path = reference["path"]?.stringValue
        else { throw invalid("A reference needs “resultOf”, “name” and “path”.") }
        guard let answer = answers.first(where: { ExactName.of($0.callID) == ExactName.of(callID) }),
            answer.name == ExactName.of(name)
        else {
            throw invalid("The call “\(callID.prefix(60))” has no response “\(name.prefix(60))”.")
        }
        guard path.isEmpty || path.hasPrefix("/") else { throw invalid("The path must begin with “/”.") }
        let tokens = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            ExactName.of(String($0)).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        guard let value = try evaluate(tokens[...], on: .object(answer.arguments), &budget) else {
            throw invalid("The path “\(path.prefix(100))” does not exist.")
        }
        try budget.take(value)
        return value
    }

    /// A JSON pointer with `*` for all elements of an array.
    private static func evaluate(
        _ path: ArraySlice<String>, on value: JSONValue, _ budget: inout AnswerBudget
    ) throws(MethodError) -> JSONValue? {
        guard let token = path.first else { return value }
        let rest = path.dropFirst()
        switch value {
        case .object(let members):
            guard let member = members[token] else { return nil }
            return try evaluate(rest, on: member, &budget)
        case .array(let elements) where token == "*":
            var results: [JSONValue] = []
            for element in elements {
                try budget.takeStep()
                guard let result = try evaluate(rest, on: element, &budget) else { return nil }
                if case .array(let inner) = result { results += inner } else { results.append(result) }
            }
            return .array(results)
        case .array(let elements):
            guard let index = Int(token), elements.indices.contains(index), String(index) == token else {
                return nil
            }
            return try evaluate(rest, on: elements[index], &budget)
        case .null, .bool, .number, .string: return nil
        }
    }

    private static func invalid(_ description: String) -> MethodError {
        MethodError("invalidResultReference", description)
    }
}

/// The answer to one call.
struct Answer {
    var name: String
    var arguments: [String: JSONValue]
    var callID: String
}
