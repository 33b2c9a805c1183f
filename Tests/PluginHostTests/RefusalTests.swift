import Foundation
import MailKernelAPI
import MailKernelConformance
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

/// What cannot be loaded is refused with its own reason, and everything else goes on.
@Suite("Broken plugins are refused one by one") struct RefusalTests {
    private let place: TemporaryFolder
    private let plugins: PluginFolder

    init() throws {
        place = try TemporaryFolder()
        plugins = PluginFolder(try place.folder("plugins"))
    }

    @Test func aFolderWithNothingOfAPluginIsNoPlugin() throws {
        _ = try place.folder("plugins/IMAP/Sources")
        try place.write("notes", to: "plugins/readme.txt")
        #expect(try load().isEmpty)
    }

    @Test func aLibraryWithoutAManifest() throws {
        try place.write("", to: "plugins/lost/liblost.so")
        #expect(try refusals() == ["lost": .noManifest])
    }

    @Test func aBrokenManifest() throws {
        try place.write("{", to: "plugins/broken/plugin.json")
        #expect(try refusals() == ["broken": .manifestNotJSON])
    }

    @Test func aManifestThatIsTooLarge() throws {
        try place.write(String(repeating: " ", count: 70_000), to: "plugins/large/plugin.json")
        #expect(try refusals() == ["large": .manifestTooLarge(70_000)])
    }

    @Test func aManifestThatIsAFolder() throws {
        _ = try place.folder("plugins/odd/plugin.json")
        #expect(try refusals() == ["odd": .manifestUnreadable("it is not a file")])
    }

    @Test func aMissingLibrary() throws {
        try plugins.add("empty")
        #expect(try refusals() == ["org.example.empty": .missingLibrary("libplugin.so")])
    }

    @Test func aFileThatIsNoLibrary() throws {
        let library = try plugins.add("text")
        try place.write("This is a text with the name of a library.", to: relative(library))
        #expect(try refusals() == ["org.example.text": .notALibrary("it is not a shared library")])
    }

    @Test func aLibraryThatIsCutOff() async throws {
        let library = try plugins.add("cut")
        try await CLibrary.build(CLibrary.plugin(), to: library)
        let whole = try Data(contentsOf: library)
        try whole.prefix(200).write(to: library)
        guard case .cannotOpen = try refusals()["org.example.cut"] else {
            Issue.record("expected that it cannot be opened, found \(try refusals())")
            return
        }
    }

    @Test func aLibraryForAnotherProcessor() async throws {
        let library = try plugins.add("foreign")
        try await CLibrary.build(CLibrary.plugin(), to: library)
        var bytes = try Data(contentsOf: library)
        bytes[18] = 0x15
        try bytes.write(to: library)
        #expect(
            try refusals() == [
                "org.example.foreign": .notALibrary("it was built for a different kind of processor")
            ])
    }

    @Test func aSymbolThatNobodyHas() async throws {
        try await plugins.add(
            "unresolved", c: "int nowhere(void); int mailkernel_plugin(void) { return nowhere(); }")
        #expect(try refusals() == ["org.example.unresolved": .unresolvedSymbol("nowhere")])
    }

    @Test func aLibraryThatIsNotInstalled() async throws {
        let other = place.url.appending(path: "libother.so")
        try await CLibrary.build("int other(void) { return 1; }", to: other)
        let library = try plugins.add("dependent")
        try await CLibrary.build(
            "int other(void); int mailkernel_plugin(void) { return other(); }", to: library,
            options: ["-L", place.url.path, "-lother"])
        #expect(try refusals() == ["org.example.dependent": .missingDependency("libother.so")])
    }

    @Test func noDescriptor() async throws {
        try await plugins.add("plain", c: "int something_else(void) { return 1; }")
        #expect(try refusals() == ["org.example.plain": .noDescriptor])
    }

    @Test func anEmptyDescriptor() async throws {
        try await plugins.add("nothing", c: "void *mailkernel_plugin(void *question) { return 0; }")
        #expect(try refusals() == ["org.example.nothing": .brokenDescriptor("it returned nothing")])
    }

    @Test func aWrongMagicNumber() async throws {
        try await plugins.add("magic", c: CLibrary.plugin(magic: "7"))
        #expect(try refusals() == ["org.example.magic": .brokenDescriptor("its magic number is wrong")])
    }

    @Test func aDescriptorOfAnotherSize() async throws {
        try await plugins.add("size", c: CLibrary.plugin(size: "64"))
        guard case .brokenDescriptor(let reason) = try refusals()["org.example.size"] else {
            Issue.record("the descriptor was not refused")
            return
        }
        #expect(reason.contains("64 bytes"))
    }

    @Test func anotherAPIVersionInTheManifest() throws {
        try place.write(
            "",
            to: relative(try plugins.add("new", manifest: PluginFolder.manifest(id: "new", ["api": "3.0"]))))
        #expect(try refusals() == ["new": .otherAPIVersion(plugin: APIVersion(major: 3, minor: 0))])
    }

    @Test func anotherAPIVersionInTheLibrary() async throws {
        try await plugins.add("newer", c: CLibrary.plugin(minor: 7))
        #expect(
            try refusals() == ["org.example.newer": .otherAPIVersion(plugin: APIVersion(major: 2, minor: 7))])
    }

    @Test func anotherSwift() async throws {
        try await plugins.add("swift", c: CLibrary.plugin(swift: "50900, Clang 15"))
        let refusal = try #require(try refusals()["org.example.swift"])
        #expect(refusal == .otherSwift(plugin: "5.9.0, Clang 15", program: PluginHost.swiftVersion))
        #expect(
            refusal.sentence.contains("5.9.0, Clang 15")
                && refusal.sentence.contains(PluginHost.swiftVersion))
    }

    @Test func anotherLayoutOfTheAPI() async throws {
        try await plugins.add("layout", c: CLibrary.plugin(fingerprint: "0123456789abcdef"))
        let refusal = try #require(try refusals()["org.example.layout"])
        let program = APIVersion.fingerprint
        #expect(refusal == .otherAPILayout(plugin: "0123456789abcdef", program: program))
        #expect(refusal.sentence.contains("0123456789abcdef") && refusal.sentence.contains(program))
    }

    @Test func aFactoryThatMakesNothing() async throws {
        try await plugins.add("lazy", c: CLibrary.plugin())
        #expect(
            try refusals() == [
                "org.example.lazy": .brokenDescriptor("it created no provider and gave no reason")
            ])
    }

    @Test func aFactoryThatTakesTooLong() async throws {
        try await plugins.add("slow", c: "#define ANSWER pause()\n" + CLibrary.plugin())
        #expect(try refusals(factoryLimit: 1) == ["org.example.slow": .factoryTooSlow(seconds: 1)])
    }

    /// It would delay every start.
    @Test func whatTookTooLongIsSkippedUntilItIsToBeTriedAgain() async throws {
        try await plugins.add("slow", c: "#define ANSWER pause()\n" + CLibrary.plugin())
        _ = try load(factoryLimit: 1)
        let begin = ContinuousClock.now
        guard case .skippedAfterCrash(let crash) = try load(factoryLimit: 600).first?.state else {
            Issue.record("it was not skipped")
            return
        }
        #expect(crash.waited == 1 && ContinuousClock.now - begin < .seconds(60))
        let memory = place.url.appending(path: "memory")
        #expect(try PluginLoader.retry("org.example.slow", memoryFolder: memory))
        #expect(try refusals(factoryLimit: 1) == ["org.example.slow": .factoryTooSlow(seconds: 1)])
    }

    @Test func theSecondOfTwoWithOneID() async throws {
        let manifest = PluginFolder.manifest(id: "org.example.twin")
        try await plugins.add("a", manifest: manifest, c: CLibrary.plugin())
        try await plugins.add("b", manifest: manifest, c: CLibrary.plugin())
        let records = try load()
        #expect(records.map(\.id) == ["org.example.twin", "org.example.twin"])
        #expect(records.last?.refusal == .duplicateID(first: plugins.url.appending(path: "a").path))
        #expect(records.first?.refusal != records.last?.refusal)
    }

    @Test(arguments: [0o775, 0o757, 0o777])
    func aFolderThatOthersCanChange(_ mode: Int) async throws {
        try await plugins.add("open", c: CLibrary.plugin())
        let folder = plugins.url.appending(path: "open").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        #expect(
            try refusals() == [
                "open": .unsafePermissions(path: folder, "can be changed by other users")
            ])
    }

    @Test(arguments: ["libplugin.so", "plugin.json"])
    func aFileThatOthersCanChange(_ name: String) async throws {
        try await plugins.add("open", c: CLibrary.plugin())
        let file = plugins.url.appending(path: "open/\(name)").path
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        #expect(
            try refusals() == [
                "org.example.open": .unsafePermissions(path: file, "can be changed by other users")
            ])
    }

    @Test func aFolderOfPluginsThatOthersCanChange() async throws {
        try await plugins.add("inside", c: CLibrary.plugin())
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: plugins.url.path)
        #expect(
            try refusals() == [
                "inside": .unsafePermissions(
                    path: plugins.url.path, "can be changed by other users")
            ])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aFileOfAnotherUser() async throws {
        try await plugins.add("theirs", c: CLibrary.plugin())
        let library = plugins.url.appending(path: "theirs/libplugin.so").path
        try #require(chown(library, 65534, 65534) == 0)
        #expect(
            try refusals() == [
                "org.example.theirs": .unsafePermissions(path: library, "belongs to another user")
            ])
    }

    @Test func aLinkThatLeadsWhereOthersCanChange() async throws {
        let elsewhere = try place.folder("elsewhere")
        let library = try plugins.add("linked")
        let real = elsewhere.appending(path: "libreal.so")
        try await CLibrary.build(CLibrary.plugin(), to: real)
        try FileManager.default.createSymbolicLink(at: library, withDestinationURL: real)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: elsewhere.path)
        #expect(
            try refusals() == [
                "org.example.linked": .unsafePermissions(
                    path: elsewhere.path, "can be changed by other users")
            ])
    }

    @Test func aPipeInPlaceOfALibrary() throws {
        let library = try plugins.add("pipe")
        try #require(mkfifo(library.path, 0o755) == 0)
        #expect(try refusals() == ["org.example.pipe": .notALibrary("it is not a file")])
    }

    @Test func aManifestThatLeadsNowhere() throws {
        _ = try place.folder("plugins/lost")
        try FileManager.default.createSymbolicLink(
            at: place.url.appending(path: "plugins/lost/plugin.json"),
            withDestinationURL: place.url.appending(path: "nowhere"))
        #expect(try refusals() == ["lost": .manifestUnreadable("No such file or directory")])
    }

    @Test func aLongerDescriptorOfALaterAPISaysWhichItIs() async throws {
        try await plugins.add("later", c: CLibrary.plugin(size: "272", major: 3))
        #expect(
            try refusals() == ["org.example.later": .otherAPIVersion(plugin: APIVersion(major: 3, minor: 0))])
    }

    @Test func theNameOfAFolderCannotForgeLines() throws {
        try place.write("{", to: "plugins/\u{1b}[31mred\nok: loaded/plugin.json")
        #expect(try load().map(\.id) == ["\u{FFFD}[31mred\u{FFFD}ok: loaded"])
    }

    /// A full disk keeps no plugin from being tried.
    @Test func crashesThatCannotBeRememberedAreSaid() async throws {
        try await plugins.add("any", c: CLibrary.plugin())
        let remembered = try refusals()
        try FileManager.default.removeItem(at: place.url.appending(path: "memory"))
        try place.write("a file where the folder has to be", to: "memory")
        let said = Mutex<[String]>([])
        let loader = PluginLoader(
            memoryFolder: place.url.appending(path: "memory"),
            cannotRemember: { problem in said.withLock { $0.append("\(problem)") } },
            makeHost: { _ in .forTesting() })
        let records = try loader.load(PluginSelection(folders: [plugins.url]))
        #expect(records.first?.refusal == remembered["org.example.any"])
        #expect(said.withLock { $0 }.count == 1)
        #expect(said.withLock { $0 }.first?.contains("cannot be written") == true)
    }

    @Test func aBrokenPluginKeepsNoOtherFromBeingTried() async throws {
        try place.write("{", to: "plugins/a/plugin.json")
        try await plugins.add("b", c: "int x;")
        try plugins.add("c")
        #expect(
            try refusals() == [
                "a": .manifestNotJSON, "org.example.b": .noDescriptor,
                "org.example.c": .missingLibrary("libplugin.so"),
            ])
    }

    @Test func aDisabledPluginIsNotTouched() async throws {
        try await plugins.add(
            "off", c: "__attribute__((constructor)) static void boom(void) { __builtin_trap(); }")
        let records = try loader().load(
            PluginSelection(folders: [plugins.url], disabledIDs: ["org.example.off"]))
        guard case .disabled = records.first?.state else {
            Issue.record("it was not left alone")
            return
        }
    }

    @Test func aMissingFolderOfPluginsIsAnError() throws {
        #expect(throws: UnreadableFolder.self) {
            try loader().load(PluginSelection(folders: [place.url.appending(path: "nowhere")]))
        }
    }

    /// Both halves are there for every refusal, as sentences.
    @Test func everyRefusalSaysWhatIsWrongAndWhatToDo() {
        let examples: [Refusal] = [
            .noManifest, .manifestUnreadable("x"), .manifestTooLarge(1), .manifestNotJSON,
            .manifestKey("id", "x"),
            .unknownKind("x"), .duplicateID(first: "x"), .unsafePermissions(path: "/x", "x"),
            .missingLibrary("x"),
            .notALibrary("x"), .missingDependency("x"), .unresolvedSymbol("x"), .cannotOpen("x"),
            .noDescriptor,
            .brokenDescriptor("x"), .otherAPIVersion(plugin: .current),
            .otherAPILayout(plugin: "x", program: "y"),
            .otherSwift(plugin: "x", program: "y"), .factoryThrew("x."), .factoryTooSlow(seconds: 1),
            .otherKind(manifest: .account, library: .storage),
        ]
        for refusal in examples {
            #expect(refusal.reason.hasSuffix(".") && refusal.remedy.hasSuffix("."), "\(refusal)")
        }
    }

    private func loader(factoryLimit: Int = 10) -> PluginLoader {
        PluginLoader(memoryFolder: place.url.appending(path: "memory"), factoryLimit: factoryLimit) { _ in
            .forTesting()
        }
    }

    private func load(factoryLimit: Int = 10) throws -> [PluginRecord] {
        try loader(factoryLimit: factoryLimit).load(PluginSelection(folders: [plugins.url]))
    }

    private func refusals(factoryLimit: Int = 10) throws -> [String: Refusal] {
        let records = try load(factoryLimit: factoryLimit)
        return Dictionary(records.map { ($0.id, $0.refusal ?? .cannotOpen("it was loaded")) }) { first, _ in
            first
        }
    }

    private func relative(_ url: URL) -> String {
        url.path.replacing(place.url.path + "/", with: "")
    }
}

extension PluginRecord {
    var refusal: Refusal? {
        if case .refused(let refusal) = state { refusal } else { nil }
    }
}
