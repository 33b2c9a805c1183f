import Foundation
import TestSupport

/// A source file, searched for what the documentation has to speak about.
struct SwiftSource {
    let text: String

    init(_ path: String) throws {
        text = try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
    }

    /// The paths of all Swift files in a folder of the checkout.
    static func paths(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: Checkout.root.appending(path: folder).path)
            .filter { path in
                path.hasSuffix(".swift") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
            }
            .map { "\(folder)/\($0)" }.sorted()
    }

    /// The types that the file declares at its outermost level, those that only it sees left out.
    var types: [String] {
        code.matches(
            of: /(?m)^(?:package |public |final |indirect )*(?:struct|class|enum|actor|protocol) (\w+)/
        )
        .map { String($0.1) }
    }

    /// Every word in the code that may be the name of a type.
    var typeNames: Set<String> {
        Set(code.matches(of: /(?m)(?:^|[^.\w])([A-Z]\w*)/).map { String($0.1) })
    }

    /// Without comments, imports and the texts of strings.
    private var code: String {
        text.replacing(/\/\/[^\n]*/, with: "").replacing(/(?m)^(?:\w+ )?import \w+$/, with: "")
            .replacing(/"(?:[^"\\\n]|\\.)*"/, with: "")
    }

    /// Everything that a protocol requires, by name.
    func requirements(of name: String) -> [String] {
        declaration("protocol \(name)").matches(of: /(?m)^ {4}(?:func|var) (\w+)/).map { String($0.1) }
    }

    /// The cases of an enumeration of the file's outermost level.
    func cases(of name: String) -> [String] {
        declaration("enum \(name)").matches(of: /(?m)^ {4}case (\w+(?:, \w+)*)/)
            .flatMap { $0.1.components(separatedBy: ", ") }
    }

    /// The texts that a property answers for each case with, without what is put into them: for
    /// `case .a(let n): "has \(n) of it"` these are `has ` and ` of it`.
    func texts(of property: String) -> [String: [String]] {
        guard let start = text.firstRange(of: "var \(property): String {"),
            let end = text[start.upperBound...].firstRange(of: "\n    }")
        else { return [:] }
        var texts: [String: [String]] = [:]
        let body = text[start.upperBound..<end.lowerBound]
        for branch in body.components(separatedBy: "\n        case ").dropFirst() {
            // The first colon outside of parentheses ends the pattern.
            var depth = 0
            let pattern = branch.prefix { character in
                if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
                return character != ":" || depth > 0
            }
            let found = Self.fragments(branch.dropFirst(pattern.count))
            let values = pattern.firstRange(of: " where ").map { pattern[..<$0.lowerBound] } ?? pattern
            for name in values.matches(of: /\.(\w+)/) { texts[String(name.1), default: []] += found }
        }
        return texts
    }

    /// The pieces of the string literals in a text between their interpolations.
    private static func fragments(_ code: Substring) -> [String] {
        var fragments: [String] = []
        var isInside = false
        var current = ""
        var rest = code
        while let character = rest.popFirst() {
            if character == "\"" {
                if isInside, !current.isEmpty { fragments.append(current) }
                current = ""
                isInside.toggle()
            } else if isInside, character == "\\", rest.first == "(" {
                if !current.isEmpty { fragments.append(current) }
                current = ""
                var depth = 0
                repeat {
                    let next = rest.popFirst()
                    if next == "(" { depth += 1 } else if next == ")" { depth -= 1 }
                } while depth > 0 && !rest.isEmpty
            } else if isInside {
                current.append(character)
            }
        }
        return fragments
    }

    private func declaration(_ head: String) -> Substring {
        guard let start = text.firstRange(of: "\npublic \(head)"),
            let end = text[start.upperBound...].firstRange(of: "\n}")
        else { return "" }
        return text[start.upperBound..<end.lowerBound]
    }
}
