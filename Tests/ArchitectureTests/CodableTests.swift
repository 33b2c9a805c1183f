import Foundation
import Testing

/// Values have to reach a plugin in another process.
@Suite("Every value of the plugin API is Codable") struct CodableTests {
    /// Types that are no values. What contains a secret leaves it out; it travels separately.
    private static let others: Set = [
        // Objects that the kernel or the plugin lends, and what holds them.
        "BytePieces", "DataSource", "HostServices", "ImportedMessage", "PluginLog", "Provider",
        "StorageParts",
        // A text for the log, in parts that the compiler fills in.
        "LogMessage", "Interpolation",
        // Namespaces and markers without a value.
        "Blob", "SyncLimits",
        // Encoding one would put it into a file.
        "Secret",
    ]

    @Test func exceptThoseOfTheList() throws {
        var found: Set<String> = []
        for path in try SwiftSource.paths(in: "Sources/MailKernelAPI/API") {
            let text = try SwiftSource(path).text
            let types = /public (?:indirect )?(?:struct|enum) (\w+)([^{]*)\{/
            for type in text.matches(of: types) where !type.2.contains(/\bCodable\b/) {
                let name = String(type.1)
                if !text.contains("extension \(name): Codable") { found.insert(name) }
            }
        }
        #expect(found == Self.others)
    }
}
