import Sieve

/// A script that can run, and the names of the rules in it.
struct LoadedScript: Sendable {
    let program: SieveProgram
    let source: SieveScript
    private let name: String
    private let rules: [(start: SievePosition, name: String?)]

    init(_ text: String, named name: String) throws(SieveError) {
        source = try SieveScript(parsing: text)
        program = try SieveProgram(source)
        self.name = name
        rules = source.commands.compactMap { command in
            command.position.map { ($0, Self.title(of: command)) }
        }
    }

    /// The name of the rule at a place, or of the script and the line.
    func rule(at place: SievePosition) -> String {
        title(at: place) ?? "\(name), line \(place.line)"
    }

    /// The name of the rule at a place, if it has one.
    func title(at place: SievePosition) -> String? {
        rules.last { ($0.start.line, $0.start.column) <= (place.line, place.column) }?.name
    }

    private static func title(of command: SieveCommand) -> String? {
        command.comments.lazy.compactMap { comment -> String? in
            guard comment.hasPrefix("rule:["), comment.hasSuffix("]") else { return nil }
            return String(comment.dropFirst(6).dropLast())
        }.first
    }
}
