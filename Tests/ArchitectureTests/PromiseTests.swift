import Foundation
import TestSupport
import Testing

/// The page of all promises is made from the conformance kit, and kept as it is made.
@Suite("The page of promises is what the kit holds") struct PromiseTests {
    private static let folders = [
        ("account", "Account"), ("model", "Models"), ("storage", "Storage"),
        ("notification", "Notifications"),
    ]

    /// `UPDATE_PAGES=1` in the environment writes the page anew.
    @Test func everyPromiseIsListed() throws {
        let path = "docs/plugins/promises.md"
        let made = try Self.page()
        if ProcessInfo.processInfo.environment["UPDATE_PAGES"] == "1" {
            try Data(made.utf8).write(to: Checkout.root.appending(path: path))
        }
        let missing = Self.lines(made).subtracting(Self.lines(try MarkdownPage(path).text))
        let stray = Self.lines(try MarkdownPage(path).text).subtracting(Self.lines(made))
        if !missing.isEmpty || !stray.isEmpty {
            Issue.record("\(path) is out of date. Make it anew: UPDATE_PAGES=1 make test ONLY=.")
        }
    }

    private static func lines(_ text: String) -> Set<Substring> {
        Set(text.split(separator: "\n"))
    }

    private static func page() throws -> String {
        var text = """
            # Promises

            What each kind promises, as the conformance kit tries it: the name of the case, and the promise in a
            sentence. [How to run them](testing.md). This page is made from the kit; a test holds it to that.

            """
        for (kind, folder) in folders {
            let promises = try promises(in: folder)
            text += "\n## \(kind.capitalized)\n\n"
            text += promises.isEmpty ? "No case yet.\n" : "| case | promise |\n|---|---|\n"
            for (name, promise) in promises { text += "| `\(name)` | \(promise) |\n" }
        }
        return text
    }

    private static func promises(in folder: String) throws -> [(String, String)] {
        let kit = "Sources/MailKernelConformance/Kit/\(folder)"
        return try FileManager.default.subpathsOfDirectory(atPath: Checkout.root.appending(path: kit).path)
            .filter { $0.hasSuffix(".swift") }.sorted()
            .flatMap { file in
                let source = try SwiftSource("\(kit)/\(file)").text
                let made = /[cC]ase\(\s*(?:\.\w+,\s*)?"(\w+)",\s*"((?:[^"\\]|\\.)*)"/
                return source.matches(of: made).map { match in
                    (String(match.1), String(match.2).replacing("\\\"", with: "\""))
                }
            }
    }
}
