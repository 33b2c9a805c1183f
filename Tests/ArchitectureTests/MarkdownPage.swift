import Foundation
import TestSupport
import Testing

/// A page of the documentation, taken apart.
struct MarkdownPage: Sendable, CustomTestStringConvertible {
    struct Block: Sendable {
        let language: String
        let text: String

        /// The file that a block of Swift is, if its first line names one, and what is below that line.
        var file: (path: String, text: String)? {
            guard language == "swift", let end = text.firstIndex(of: "\n"),
                let match = text[..<end].wholeMatch(
                    of: /\/\/ ((?:Sources|Tests)\/[\w\/]+\.swift|Package\.swift)/)
            else { return nil }
            return (String(match.1), String(text[text.index(after: end)...]))
        }
    }

    /// Relative to the checkout.
    let path: String
    let text: String
    let blocks: [Block]
    /// The page without its blocks, in which nothing is a link or a heading.
    let prose: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
        var blocks: [Block] = []
        var prose = ""
        // Odd pieces stand between fences.
        for (number, piece) in "\n\(text)".components(separatedBy: "\n```").enumerated() {
            let language = piece.prefix { $0 != "\n" }
            guard number.isMultiple(of: 2) else {
                blocks.append(
                    Block(language: String(language), text: piece.dropFirst(language.count + 1) + "\n"))
                continue
            }
            prose += piece
        }
        self.blocks = blocks
        self.prose = prose
    }

    var testDescription: String { path }

    /// Everything below docs, and the pages beside code.
    static func all() throws -> [MarkdownPage] {
        let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Sources/WebUI/README.md"]
        return try beside.map(MarkdownPage.init) + inFolder("docs")
    }

    static func inFolder(_ folder: String) throws -> [MarkdownPage] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: Checkout.root.appending(path: folder).path)
        return try names.filter { $0.hasSuffix(".md") }.sorted().map { try MarkdownPage("\(folder)/\($0)") }
    }

    /// Whether a row of a table is about this piece of code.
    func hasRow(_ code: String) -> Bool { rows.contains { $0[0] == "`\(code)`" } }

    /// Whether the page has this option of the program somewhere, as a whole word.
    func names(option: String) -> Bool {
        text.split { !$0.isLetter && $0 != "-" }.contains { $0 == option }
    }

    /// Where the links lead, as they are written.
    var links: [String] { prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) } }

    /// What `#…` may name, made of the headings as the usual renderers make it.
    var anchors: Set<String> {
        Set(
            prose.matches(of: /(?m)^#+ (.+)$/).map { match in
                match.1.lowercased().filter {
                    $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
                }
                .replacing(" ", with: "-")
            })
    }

    /// The rows of its tables, cell by cell.
    var rows: [[String]] {
        prose.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.dropFirst(2).components(separatedBy: " |").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The plugin that its examples belong to, as the page tells the reader to begin it.
    var example: (name: String, kind: String)? {
        let begins = /(?:NAME=|--name )(\w+) (?:KIND=|--kind )(\w+)/
        return text.firstMatch(of: begins).map { (String($0.1), String($0.2)) }
    }
}
