import Sieve

/// A script that can run, and the names of the rules in it.
struct LoadedScript: Sendable {
    let program: SieveProgram
    let source: SieveScript
    private let name: String
    private let rules: [(start: SievePosition, name: String?)]

    init(_ text: String, named name: String) throws(SieveError) {
        try self.init(try SieveScript(parsing: text), named: name)
    }

    private init(_ source: SieveScript, named name: String) throws(SieveError) {
        self.source = source
        program = try SieveProgram(source)
        self.name = name
        rules = source.commands.compactMap { command in
            command.position.map { ($0, Self.title(of: command)) }
        }
    }

    /// The script without what these units do, which have run at the service.
    func without(_ units: Set<String>) throws(SieveError) -> LoadedScript {
        try LoadedScript(source.without(units), named: name)
    }

    /// The name of the rule at a place, or of the script and the line.
    func rule(at place: SievePosition) -> String {
        title(at: place) ?? "\(name), line \(place.line)"
    }

    /// The name of the rule at a place, if it has one.
    func title(at place: SievePosition) -> String? {
        rules.last { ($0.start.line, $0.start.column) <= (place.line, place.column) }?.name
    }

    static func title(of command: SieveCommand) -> String? {
        command.comments.lazy.compactMap { comment -> String? in
            guard comment.hasPrefix("rule:["), comment.hasSuffix("]") else { return nil }
            return String(comment.dropFirst(6).dropLast())
        }.first
    }
}
