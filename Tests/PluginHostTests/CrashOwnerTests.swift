import Foundation
import MailKernelAPI
import MailKernelConformance
import PluginHost
import TestSupport
import Testing

/// In processes of their own, which end.
@Suite("A crash is held against the code that it happened in") struct CrashOwnerTests {
    private let place: TemporaryFolder

    init() async throws {
        place = try TemporaryFolder()
        let functions = """
            void fall(void (*unused)(void)) { abort(); }
            void call(void (*function)(void)) { function(); }
            """
        try await PluginFolder(try place.folder("plugins")).add("one", c: CLibrary.plugin(more: functions))
    }

    @Test func aPluginsOwnCodeIsThePlugins() async throws {
        await #expect(processExitsWith: .signal(SIGABRT)) { [folder = place.url.path as String] in
            try Self.call("fall", of: folder)
        }
        guard case .skippedAfterCrash(let crash) = try Self.load(place.url.path).first?.state else {
            Issue.record("it was not skipped")
            return
        }
        #expect(crash.id == "org.example.one" && crash.running != nil)
    }

    @Test func theProgramsCodeThatAPluginCallsIsTheProgram() async throws {
        await #expect(processExitsWith: .signal(SIGABRT)) { [folder = place.url.path as String] in
            try Self.call("call", of: folder)
        }
        #expect(try Self.load(place.url.path).first?.refusal != nil)
    }

    /// Calls a function of the plugin, and passes it one of the program that aborts.
    private static func call(_ name: String, of folder: String) throws {
        _ = try load(folder, watches: true)
        typealias Function = @convention(c) (@convention(c) () -> Void) -> Void
        let library = dlopen("\(folder)/plugins/one/libplugin.so", RTLD_NOW | RTLD_NOLOAD)
        let function = try #require(dlsym(library, name))
        unsafeBitCast(function, to: Function.self)({ abort() })
    }

    private static func load(_ folder: String, watches: Bool = false) throws -> [PluginRecord] {
        let folder = URL(filePath: folder)
        let loader = PluginLoader(memoryFolder: folder.appending(path: "memory"), watches: watches) { _ in
            .forTesting()
        }
        return try loader.load(PluginSelection(folders: [folder.appending(path: "plugins")]))
    }
}
