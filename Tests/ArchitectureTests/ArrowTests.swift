import Foundation
import TestSupport
import Testing

/// Arrows point one way: a room imports those to its right, and nobody imports the program.
@Suite("No room imports against the arrows") struct ArrowTests {
    /// What each room may import of ours.
    private static let arrows: [String: Set<String>] = [
        "MailKernelAPI": ["CMailKernelPlugin"],
        "MailKernelConformance": ["MailKernelAPI"],
        "PluginHost": ["MailKernelAPI", "CMailKernelPlugin", "CLibltdl", "CPluginHost"],
        "MessageFormat": ["MailKernelAPI", "CGMime", "CGumbo", "CUnicodeSpoof"],
        "Network": ["MailKernelAPI", "CCurl", "COpenSSL", "CSockets"],
        "Secrets": ["MailKernelAPI", "CLogin", "COpenSSL", "CPAM", "CSecret"],
        "Kernel": ["MailKernelAPI", "CZlib", "MessageFormat", "Network", "PluginHost", "Secrets"],
        "JMAP": ["MailKernelAPI", "MessageFormat", "PluginHost", "Kernel"],
        "LocalServer": ["MailKernelAPI", "JMAP", "CMicroHTTPD", "COpenSSL", "CZlib"],
        "mailkernel": [
            "MailKernelAPI", "MailKernelConformance", "PluginHost", "Kernel", "JMAP", "LocalServer",
            "Network",
            "Secrets",
        ],
        "CPluginHost": [],
        "CLibltdl": [],
        "CGMime": [],
        "CGumbo": [],
        "CUnicodeSpoof": [],
        "CLogin": [],
        "CPAM": [],
        "CMicroHTTPD": [],
        "COpenSSL": [],
        "CCurl": [],
        "CSecret": [],
        "CSockets": [],
        "CZlib": [],
        "WebUI": [],
    ]
    /// What comes with Swift and the system. Full Foundation is left out: it costs start time and memory.
    private static let system: Set<String> = [
        "Swift", "FoundationEssentials", "Glibc", "Dispatch", "Synchronization",
    ]

    @Test func everyRoomHasItsArrows() throws {
        let rooms = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appending(path: "Sources").path)
        #expect(Set(rooms) == Set(Self.arrows.keys))
    }

    @Test(arguments: arrows.keys.sorted())
    func aRoomImportsOnlyWhatItMay(_ room: String) throws {
        let allowed = Self.system.union(Self.arrows[room] ?? [])
        for file in try swiftFiles(in: "Sources/\(room)") where !isTestOrTool(file) {
            for name in try imports(file) {
                #expect(allowed.contains(name), "\(file.path) imports \(name)")
            }
        }
    }

    /// Libraries of this checkout are built as a stranger's would be: from the API alone.
    @Test func aPluginSeesTheAPIAlone() throws {
        for file in try swiftFiles(in: "Plugins") where !isTestOrTool(file) {
            for name in try imports(file) {
                #expect(
                    !["PluginHost", "Kernel", "mailkernel", "CPluginHost"].contains(name),
                    "\(file.path) imports \(name)")
            }
        }
    }

    private func isTestOrTool(_ file: URL) -> Bool {
        let path = file.path.replacing(Checkout.root.path, with: "")
        // Templates are the text of packages that do not exist yet.
        return path.contains("/Tests/") || path.contains("/Templates/")
            || path.hasPrefix("/Sources/MailKernelAPI/Plugins/") || path.hasSuffix("/Package.swift")
    }

    private func swiftFiles(in folder: String) throws -> [URL] {
        let all = FileManager.default.enumerator(
            at: Checkout.root.appending(path: folder), includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles])
        return try #require(all).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private func imports(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index < 3, index + 1 < words.count,
                words[..<index].allSatisfy({
                    $0.hasPrefix("@") || ["public", "private", "internal"].contains($0)
                })
            else { return nil }
            return String(words[index + 1])
        }
    }
}
