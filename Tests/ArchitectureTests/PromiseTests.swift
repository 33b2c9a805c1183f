import Foundation
import TestSupport
import Testing

/// The page of promises is generated from the conformance kit.
@Suite("The page of promises is what the kit holds") struct PromiseTests {
    private static let folders = [
        ("account", "Account"), ("model", "Models"), ("storage", "Storage"),
        ("notification", "Notifications"),
    ]

    /// `UPDATE_PAGES=1` in the environment writes the page.
    @Test func everyPromiseIsListed() throws {
        let path = "docs/plugins/promises.md"
        let made = try Self.page()
        if ProcessInfo.processInfo.environment["UPDATE_PAGES"] == "1" {
            try Data(made.utf8).write(to: Checkout.root.appending(path: path))
        }
        let missing = Self.lines(made).subtracting(Self.lines(try MarkdownPage(path).text))
        let stray = Self.lines(try MarkdownPage(path).text).subtracting(Self.lines(made))
        if !missing.isEmpty || !stray.isEmpty {
            Issue.record("\(path) is out of date. Generate it again: UPDATE_PAGES=1 make test ONLY=.")
        }
    }

    private static func lines(_ text: String) -> Set<Substring> {
        Set(text.split(separator: "\n"))
    }

    private static func page() throws -> String {
        var text = """
            # Promises

            The promises of each kind, as tested by the conformance kit: the name of the case, and the promise.
            [How to run them](testing.md). This page is generated from the kit; a test keeps it up to date.

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
