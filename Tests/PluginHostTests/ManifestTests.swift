import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import PluginHost

@Suite("A manifest is read strictly") struct ManifestTests {
    @Test func aCompleteOneIsRead() throws {
        let manifest = try parse(
            PluginFolder.manifest(
                id: "org.example.weather",
                ["hosts": ["imap.example.org", "*.example.net"], "description": "Shows the weather."]))
        #expect(manifest.id == "org.example.weather")
        #expect(manifest.kind == .notification)
        #expect(manifest.api == APIVersion(major: 2, minor: 0))
        #expect(manifest.hosts == ["imap.example.org", "*.example.net"])
        #expect(manifest.unknownKeys.isEmpty)
    }

    @Test func aStoreCanBeADefault() throws {
        #expect(try parse(PluginFolder.manifest(id: "a", ["default": true])).isDefault)
        #expect(try !parse(PluginFolder.manifest(id: "a")).isDefault)
        #expect(throws: Refusal.manifestKey("default", "it is neither true nor false")) {
            try parse(PluginFolder.manifest(id: "a", ["default": "yes"]))
        }
    }

    @Test func settingsCanBeDeclared() throws {
        let manifest = try parse(
            PluginFolder.manifest(
                id: "a",
                [
                    "settings": [
                        ["name": "server", "title": "Server", "kind": "text", "required": true],
                        [
                            "name": "key", "title": "Key", "explanation": "From your account.",
                            "kind": "secret",
                        ],
                    ]
                ]))
        #expect(manifest.settings.map(\.name) == ["server", "key"])
        #expect(manifest.settings.map(\.kind) == [.text, .secret])
        #expect(manifest.settings.map(\.isRequired) == [true, false])
        #expect(manifest.settings.map(\.explanation) == ["", "From your account."])
        #expect(manifest.unknownKeys.isEmpty)
    }

    @Test func aSettingIsComplete() throws {
        let sound: [String: Any] = ["name": "server", "title": "Server", "kind": "text"]
        let broken: [(settings: Any, refusal: Refusal)] = [
            ("server", .manifestKey("settings", "it is not a list of at most 20 objects")),
            (["server"], .manifestKey("settings", "it is not a list of objects")),
            ([["name": "a", "kind": "text"]], .manifestKey("settings.title", "it is missing or empty")),
            (
                [["name": "a", "title": "A", "kind": "number"]],
                .manifestKey("settings", "the kind “number” is neither “text” nor “secret”")
            ),
            ([sound, sound], .manifestKey("settings", "two of them have the same name")),
        ]
        for (settings, refusal) in broken {
            #expect(throws: refusal) { try parse(PluginFolder.manifest(id: "a", ["settings": settings])) }
        }
    }

    @Test func keysThatMeanNothingAreNamed() throws {
        let manifest = try parse(PluginFolder.manifest(id: "a", ["color": "red", "apiversion": 1]))
        #expect(manifest.unknownKeys == ["apiversion", "color"])
    }

    @Test(arguments: ["id", "name", "version", "api", "kind", "library", "license", "author"])
    func everyKeyIsNeeded(_ key: String) throws {
        #expect(throws: Refusal.manifestKey(key, "it is missing or empty")) {
            try parse(PluginFolder.manifest(id: "a", [key: nil as String?]))
        }
    }

    @Test(arguments: [
        "../evil", "a/b", "UPPER", ".hidden", "a b", "", "a..b", "ends.", "-a", "é",
        String(repeating: "a", count: 101),
    ])
    func anIDCannotNameAnythingElse(_ id: String) throws {
        #expect(throws: Refusal.self) { try parse(PluginFolder.manifest(id: id)) }
    }

    @Test(arguments: ["../lib.so", "/usr/lib/libc.so", "lib.dylib", ".so", "lib.so.1", "sub/lib.so"])
    func theLibraryIsInTheFolder(_ library: String) throws {
        #expect(throws: Refusal.self) { try parse(PluginFolder.manifest(id: "a", ["library": library])) }
    }

    @Test(arguments: [
        "http://example.org", "example.org:993", "*.*.org", "ex ample", "*example.org", "-a.org", "", "a..b",
        "EXAMPLE.org",
    ])
    func hostsAreNamesOrPatterns(_ host: String) throws {
        #expect(throws: Refusal.self) { try parse(PluginFolder.manifest(id: "a", ["hosts": [host]])) }
    }

    @Test func anyHostCanBeAskedFor() throws {
        #expect(try parse(PluginFolder.manifest(id: "a", ["hosts": ["*"]])).hosts == ["*"])
    }

    @Test(arguments: ["1", "1.0.0", "one", "-1.0", "1.", ".1", "99999.0", "1.0 "])
    func anAPIVersionIsTwoNumbers(_ version: String) throws {
        #expect(throws: Refusal.self) { try parse(PluginFolder.manifest(id: "a", ["api": version])) }
    }

    @Test func anUnknownKindIsRefusedByName() throws {
        #expect(throws: Refusal.unknownKind("calendar")) {
            try parse(PluginFolder.manifest(id: "a", ["kind": "calendar"]))
        }
    }

    @Test(arguments: ["\u{1b}[2J", "a\u{0}b", "line\nbreak", "right\u{202E}left", "zero\u{200B}width"])
    func controlCharactersAreRefused(_ name: String) throws {
        #expect(throws: Refusal.manifestKey("name", "it contains control characters")) {
            try parse(PluginFolder.manifest(id: "a", ["name": name]))
        }
    }

    @Test(arguments: ["", "{", "[]", "null", "\"text\"", "{\"id\":}", "\u{FEFF}{}", "{\"id\": 1}", "{}"])
    func whatIsNoManifestIsRefused(_ text: String) {
        #expect(throws: Refusal.self) { try PluginManifest(parsing: Data(text.utf8)) }
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: Refusal.self) { try PluginManifest(parsing: Data([0xff, 0xfe, 0x00, 0x80])) }
    }

    /// Decoding this one would take a minute.
    @Test func manyDeepValuesAreRefusedBeforeTheyAreDecoded() {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let fields = (0..<60).map { "\"k\($0)\": \(deep)" }.joined(separator: ",")
        #expect(throws: Refusal.manifestKey("", "its lists and objects are nested too deeply")) {
            try PluginManifest(parsing: Data("{\(fields)}".utf8))
        }
    }

    @Test func bracketsInTextsAreNoNesting() throws {
        let name = String(repeating: "[{\\\"", count: 20)
        #expect(try parse(PluginFolder.manifest(id: "a", ["name": name])).name == name)
    }

    @Test func deepNestingIsRefused() {
        let depth = 20_000
        let text =
            "{\"id\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        #expect(throws: Refusal.self) { try PluginManifest(parsing: Data(text.utf8)) }
    }

    /// Every manifest with a byte changed, left out or put in is either read or refused; nothing else happens.
    @Test(arguments: 0..<8) func changedBytesNeverDoMoreThanRefuse(_ seed: UInt64) throws {
        let fields = PluginFolder.manifest(
            id: "org.example.a", ["hosts": ["*.example.org"], "description": "é"])
        let original = try JSONSerialization.data(withJSONObject: fields)
        var random = SeededRandom(seed)
        var refused = 0
        for index in original.indices {
            var changed = original
            switch seed % 3 {
            case 0: changed[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: changed.remove(at: index)
            default: changed.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
            }
            if (try? PluginManifest(parsing: changed)) == nil { refused += 1 }
        }
        #expect(refused > 0)
    }

    private func parse(_ fields: [String: Any]) throws -> PluginManifest {
        try PluginManifest(parsing: JSONSerialization.data(withJSONObject: fields))
    }
}
