import Foundation
import TestSupport
import Testing

/// Arrows point one way: a module imports only modules below it, and none imports the program.
@Suite("No module imports against the arrows") struct ArrowTests {
    /// What each module may import of ours.
    private static let arrows: [String: Set<String>] = [
        "MailKernelAPI": ["CMailKernelPlugin"],
        "Digest": ["CDigest"],
        "StoreRules": ["MailKernelAPI"],
        "Sieve": [],
        "MailKernelConformance": ["MailKernelAPI", "StoreRules"],
        "PluginHost": ["MailKernelAPI", "CMailKernelPlugin", "CLibltdl", "CPluginHost"],
        "MessageFormat": ["MailKernelAPI", "StoreRules", "CCharsets", "CGMime", "CGumbo", "CUnicodeSpoof"],
        "Network": ["MailKernelAPI", "CCurl", "COpenSSL", "CSockets"],
        "Secrets": ["MailKernelAPI", "CLogin", "COpenSSL", "CPAM", "CSecret"],
        "Store": ["MailKernelAPI", "PluginHost"],
        "PluginCalls": ["MailKernelAPI", "PluginHost", "Store"],
        "Mail": ["MailKernelAPI", "StoreRules", "CZlib", "MessageFormat", "Network", "Store"],
        "Sync": ["MailKernelAPI", "MessageFormat", "Store", "PluginCalls", "Mail"],
        "Accounts": [
            "MailKernelAPI", "CGMime", "Digest", "Network", "PluginHost", "Secrets", "Store", "PluginCalls",
            "Mail", "Sync",
        ],
        "Invitations": ["CICal"],
        "Compose": [
            "MailKernelAPI", "Invitations", "MessageFormat", "Store", "Mail", "Sync", "Accounts",
        ],
        "Intelligence": ["MailKernelAPI", "MessageFormat", "PluginHost", "Store", "PluginCalls", "Mail"],
        "Care": ["MailKernelAPI", "CZlib", "Digest", "MessageFormat", "Store", "Mail", "Sync", "Accounts"],
        "Rules": [
            "MailKernelAPI", "MessageFormat", "Sieve", "Store", "PluginCalls", "Mail", "Accounts", "Compose",
        ],
        "Kernel": [
            "MailKernelAPI", "MessageFormat", "Network", "PluginHost", "Secrets", "Store", "PluginCalls",
            "Mail", "Sync", "Accounts", "Compose", "Intelligence", "Care", "Rules",
        ],
        "JMAP": [
            "MailKernelAPI", "Digest", "Invitations", "MessageFormat", "PluginHost", "Store", "Mail", "Sync",
            "Accounts", "Compose",
            "Intelligence", "Care", "Rules", "Kernel",
        ],
        "LocalServer": ["MailKernelAPI", "Digest", "JMAP", "CMicroHTTPD", "COpenSSL", "CSockets", "CZlib"],
        "mailkernel": [
            "MailKernelAPI", "MailKernelConformance", "PluginHost", "Store", "PluginCalls", "Accounts",
            "Care",
            "Kernel", "JMAP", "LocalServer", "Network", "Secrets",
        ],
        "CPluginHost": [],
        "CLibltdl": [],
        "CGMime": [],
        "CGumbo": [],
        "CICal": [],
        "CUnicodeSpoof": [],
        "CCharsets": [],
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

    @Test func everyModuleHasItsArrows() throws {
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appending(path: "Sources").path)
        #expect(Set(modules) == Set(Self.arrows.keys))
    }

    @Test(arguments: arrows.keys.sorted())
    func aModuleImportsOnlyWhatItMay(_ module: String) throws {
        let allowed = Self.system.union(Self.arrows[module] ?? [])
        for file in try SwiftSource.paths(in: "Sources/\(module)") where !isTestOrTool(file) {
            for name in try imports(file) {
                #expect(allowed.contains(name), "\(file) imports \(name)")
            }
        }
    }

    /// Libraries of this checkout are built as a stranger's would be: from the API, and libraries that know nothing
    /// of the program.
    @Test func aPluginSeesTheAPIAlone() throws {
        let forbidden = Set(Self.arrows.keys).subtracting(["MailKernelAPI", "Digest", "StoreRules"])
        for file in try SwiftSource.paths(in: "Plugins") where !isTestOrTool(file) {
            for name in try imports(file) {
                #expect(!forbidden.contains(name), "\(file) imports \(name)")
            }
        }
    }

    private func isTestOrTool(_ path: String) -> Bool {
        // Templates are the text of packages that do not exist yet.
        path.contains("/Tests/") || path.contains("/Templates/")
            || path.hasPrefix("Sources/MailKernelAPI/Plugins/") || path.hasSuffix("/Package.swift")
    }

    private func imports(_ path: String) throws -> [String] {
        try SwiftSource(path).text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index < 3, index + 1 < words.count,
                words[..<index].allSatisfy({
                    $0.hasPrefix("@") || ["public", "package", "private", "internal"].contains($0)
                })
            else { return nil }
            return String(words[index + 1])
        }
    }
}
