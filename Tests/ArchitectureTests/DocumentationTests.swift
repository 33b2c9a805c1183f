import Foundation
import TestSupport
import Testing

/// What the documentation says is so: it compiles, it is complete, and its links lead somewhere.
@Suite("The documentation is true") struct DocumentationTests {
    /// What each page of a kind has to speak about, and where that is declared.
    static let kinds = [
        Kind(
            "account", protocols: ["AccountProvider", "AccountSession", "KnownMessages"],
            errors: "AccountError",
            files: ["Account/AccountProvider", "Account/AccountSession"]),
        Kind(
            "model", protocols: ["AIModelProvider"], errors: "ModelError", files: ["Models/AIModelProvider"]),
        Kind(
            "storage",
            protocols: [
                "StorageBackend", "MailReader", "BlobWriter", "StorageInsights", "StorageCare",
                "StorageSharing",
            ],
            errors: "StorageError",
            files: [
                "Storage/StorageBackend", "Storage/MailReader", "Storage/StorageParts",
                "Storage/StorageSharing",
            ]),
        Kind(
            "notification", protocols: ["NotificationSink"], errors: "NotificationError",
            files: ["Notifications/NotificationSink"]),
    ]

    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let protocols: [String]
        let errors: String
        let files: [String]

        init(_ name: String, protocols: [String], errors: String, files: [String]) {
            self.name = name
            self.protocols = protocols
            self.errors = errors
            self.files = files
        }

        var testDescription: String { name }
        var page: MarkdownPage { get throws { try MarkdownPage("docs/plugins/\(name).md") } }
        var sources: [SwiftSource] {
            get throws { try files.map { try SwiftSource("Sources/MailKernelAPI/API/\($0).swift") } }
        }
    }

    @Test(arguments: kinds)
    func thePageOfAKindHasARowForEveryRequirement(_ kind: Kind) throws {
        let page = try kind.page
        for name in kind.protocols {
            let required = try kind.sources.flatMap { $0.requirements(of: name) }
            #expect(!required.isEmpty, "\(name) was not found")
            for requirement in required {
                #expect(page.hasRow(requirement), "\(page.path) has no row for \(name).\(requirement)")
            }
        }
    }

    @Test(arguments: kinds)
    func thePageOfAKindHasARowForEveryError(_ kind: Kind) throws {
        let page = try kind.page
        let errors = try kind.sources.flatMap { $0.cases(of: kind.errors) }
        #expect(!errors.isEmpty, "\(kind.errors) was not found")
        for error in errors {
            #expect(page.hasRow(".\(error)"), "\(page.path) has no row for .\(error)")
        }
    }

    @Test func everyKeyOfAManifestHasARow() throws {
        let source = try SwiftSource("Sources/PluginHost/PluginManifest.swift")
        let keys = Set(source.text.matches(of: /reader\.\w+\("(\w+)"/).map { String($0.1) })
        #expect(keys.count >= 10, "the keys were not found")
        let page = try MarkdownPage("docs/plugins/versions.md")
        for key in keys { #expect(page.hasRow(key), "there is no row for \(key)") }
    }

    /// Every refusal with its two sentences, word for word but for what is put into them.
    @Test func everyRefusalHasARowWithItsSentences() throws {
        let source = try SwiftSource("Sources/PluginHost/Refusal.swift")
        let reasons = source.texts(of: "reason")
        let remedies = source.texts(of: "remedy")
        let rows = try MarkdownPage("docs/plugins/versions.md").rows
        let cases = source.cases(of: "Refusal")
        #expect(cases.count >= 20 && Set(cases) == Set(reasons.keys) && Set(cases) == Set(remedies.keys))
        for name in cases {
            let its = rows.filter { $0[0] == "`\(name)`" }
            #expect(its.count == 1, "\(name) has \(its.count) rows")
            for (column, texts) in [(1, reasons[name]), (2, remedies[name])] {
                for text in texts ?? [] where !text.allSatisfy(\.isWhitespace) {
                    // A table does not keep the spaces at the ends of a cell.
                    let words = text.trimmingCharacters(in: .whitespaces)
                    let isThere = its.contains { $0.count > column && $0[column].contains(words) }
                    #expect(isThere, "the row of \(name) does not say “\(words)”")
                }
            }
        }
    }

    @Test func everyOptionIsExplainedSomewhere() throws {
        let help = try SwiftSource("Sources/mailkernel/Help.swift")
        let options = Set(help.text.matches(of: /--[a-z][a-z-]+/).map { String($0.0) })
        #expect(options.count >= 15, "the options were not found")
        let pages = try MarkdownPage.all().filter { $0.path == "README.md" || $0.path.hasPrefix("docs/") }
        for option in options {
            #expect(pages.contains { $0.names(option: option) }, "no page explains \(option)")
        }
    }

    /// A block that begins elsewhere than at the margin, or never ends, would escape the tests of examples.
    @Test(arguments: try MarkdownPage.all())
    func everyBlockIsFound(_ page: MarkdownPage) {
        #expect(!page.prose.contains("```") && page.text.matches(of: /\n```/).count.isMultiple(of: 2))
    }

    /// Decisions keep the names of their day.
    @Test(arguments: try MarkdownPage.all())
    func everyNamedFileIsThere(_ page: MarkdownPage) {
        guard !page.path.hasPrefix("docs/decisions/") else { return }
        for file in page.prose.matches(of: /`(\w+\/[\w\/+-]+\.(?:swift|tsx?))`/).map({ String($0.1) }) {
            let isOfThePage = file.prefixMatch(of: /Sources|Plugins|Tests/) == nil
            let path = isOfThePage ? "Sources/WebUI/\(file)" : file
            #expect(
                FileManager.default.fileExists(atPath: Checkout.root.appending(path: path).path),
                "\(page.path) names \(file), which is not there")
        }
    }

    @Test(arguments: try MarkdownPage.all())
    func everyLinkLeadsSomewhere(_ page: MarkdownPage) throws {
        for link in page.links where !link.contains("://") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let folder = URL(filePath: page.path, relativeTo: Checkout.root).deletingLastPathComponent()
            let file =
                parts[0].isEmpty
                ? URL(filePath: page.path, relativeTo: Checkout.root) : folder.appending(path: parts[0])
            let target = file.standardizedFileURL.path
            guard FileManager.default.fileExists(atPath: target) else {
                Issue.record("\(page.path) links to \(link), which is not there")
                continue
            }
            guard parts.count == 2 else { continue }
            let other = try MarkdownPage(
                target.replacing(Checkout.root.standardizedFileURL.path + "/", with: ""))
            #expect(
                other.anchors.contains(String(parts[1])),
                "\(page.path) links to \(link), which has no such heading")
        }
    }
}

/// One at a time: they are built in one folder, which is locked while one is built.
@Suite("The examples of the plugin guide work", .serialized) struct ExampleTests {
    @Test(
        arguments: try MarkdownPage.inFolder("docs/plugins").filter { page in
            page.blocks.contains { $0.file != nil }
        })
    func theExampleOfAPageBuildsAndPassesItsTests(_ page: MarkdownPage) async throws {
        let example = try #require(page.example, "the page does not say how its plugin is begun")
        let plugin = try await PluginExample(name: example.name, kind: example.kind)
        for file in page.blocks.compactMap(\.file) { try plugin.replace(file.path, with: file.text) }
        try await plugin.buildAndTest()
    }

    @Test(
        arguments: try MarkdownPage.inFolder("docs/plugins").filter { page in
            page.blocks.contains { $0.language == "swift" && $0.file == nil }
        })
    func theSnippetsOfAPageCompile(_ page: MarkdownPage) async throws {
        let snippets = page.blocks.filter { $0.language == "swift" && $0.file == nil }
        let checked = try await Snippets.check(snippets.map(\.text).joined(separator: "\n"))
        #expect(checked.status == 0, "\(checked.errors)")
    }

    /// What the first page shows before it changes it is what the reader has.
    @Test func theFirstPluginIsShownAsItIsMade() async throws {
        let page = try MarkdownPage("docs/plugins/first-plugin.md")
        let example = try #require(page.example)
        let plugin = try await PluginExample(name: example.name, kind: example.kind)
        for path in [
            "Package.swift", "Sources/Weather/WeatherPlugin.swift", "Sources/Weather/WeatherSink.swift",
        ] {
            let shown = try #require(
                page.blocks.compactMap(\.file).first { $0.path == path }, "\(path) is not shown")
            #expect(shown.text == (try plugin.text(of: path)))
        }
        let manifest = try plugin.text(of: "plugin.json")
        #expect(page.blocks.contains { $0.language == "json" && $0.text == manifest })
    }
}
