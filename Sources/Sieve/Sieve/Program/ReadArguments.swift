/// The arguments of one command or test, checked against its shape.
struct ReadArguments {
    private(set) var tags: [String: SieveArgument.Value?] = [:]
    /// Missing optional ones are nil.
    private(set) var values: [SieveArgument.Value?] = []
    let position: SievePosition?
    private let name: String

    init(
        _ arguments: [SieveArgument], of name: String, at position: SievePosition?, shape: Shape,
        required: Set<String>
    ) throws(SieveError) {
        self.name = name
        self.position = position
        var rest = arguments[...]
        while let argument = rest.first, case .tag(let tag) = argument.value {
            rest.removeFirst()
            try add(tag, argument, &rest, shape: shape, required: required)
        }
        guard rest.count <= shape.arguments.count, rest.count >= shape.arguments.count - shape.optional else {
            let wanted = shape.arguments.count
            throw SieveError(
                "`\(name)` takes \(wanted == 0 ? "no value" : wanted == 1 ? "one value" : "\(wanted) values"), "
                    + "but here are \(rest.count).", at: rest.first?.position ?? position)
        }
        values = Array(repeating: nil, count: shape.arguments.count - rest.count)
        for (kind, argument) in zip(shape.arguments.dropFirst(values.count), rest) {
            values.append(try Self.checked(argument, as: kind, of: "`\(name)`"))
        }
    }

    private mutating func add(
        _ tag: String, _ argument: SieveArgument, _ rest: inout ArraySlice<SieveArgument>, shape: Shape,
        required: Set<String>
    ) throws(SieveError) {
        guard let known = shape.tags[tag] else {
            throw SieveError("`\(name)` has no tag `:\(tag)`.", at: argument.position)
        }
        if let needs = known.needs, !required.contains(needs) {
            throw SieveError(
                "`:\(tag)` needs `require \"\(needs)\";` at the top of the script.", at: argument.position)
        }
        guard tags[tag] == nil else {
            throw SieveError("`:\(tag)` is there twice.", at: argument.position)
        }
        if let group = known.group, let other = tags.keys.first(where: { shape.tags[$0]?.group == group }) {
            throw SieveError("`:\(other)` and `:\(tag)` exclude each other.", at: argument.position)
        }
        guard let kind = known.value else {
            tags[tag] = .some(nil)
            return
        }
        guard let value = rest.popFirst() else {
            throw SieveError("`:\(tag)` must be followed by a value.", at: argument.position)
        }
        tags[tag] = try Self.checked(value, as: kind, of: "`:\(tag)`")
    }

    private static func checked(
        _ argument: SieveArgument, as kind: Shape.Kind, of name: String
    ) throws(SieveError) -> SieveArgument.Value {
        switch (kind, argument.value) {
        case (.number, .number), (.string, .string), (.strings, .string), (.strings, .list):
            return argument.value
        case (.number, _): throw SieveError("\(name) needs a number here.", at: argument.position)
        case (.string, _): throw SieveError("\(name) needs a string here.", at: argument.position)
        case (.strings, _):
            throw SieveError("\(name) needs a string or a list of strings here.", at: argument.position)
        }
    }

    func has(_ tag: String) -> Bool { tags[tag] != nil }

    func number(_ tag: String) -> Int? {
        if case .number(let number)?? = tags[tag] { number } else { nil }
    }

    func string(_ tag: String) -> String? { tags[tag].flatMap { $0 }.flatMap(Self.string) }
    func strings(_ tag: String) -> [String]? { tags[tag].flatMap { $0 }.map(Self.strings) }
    func string(_ index: Int) -> String { value(index).flatMap(Self.string) ?? "" }
    func strings(_ index: Int) -> [String] { value(index).map(Self.strings) ?? [] }
    func isMissing(_ index: Int) -> Bool { value(index) == nil }

    func number(_ index: Int) -> Int {
        if case .number(let number)? = value(index) { number } else { 0 }
    }

    private func value(_ index: Int) -> SieveArgument.Value? {
        values.indices.contains(index) ? values[index] : nil
    }

    private static func string(_ value: SieveArgument.Value) -> String? {
        if case .string(let string) = value { string } else { nil }
    }

    private static func strings(_ value: SieveArgument.Value) -> [String] {
        switch value {
        case .string(let string): [string]
        case .list(let strings): strings
        case .number, .tag: []
        }
    }
}
