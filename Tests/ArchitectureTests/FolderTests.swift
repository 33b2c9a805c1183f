import Foundation
import TestSupport
import Testing

/// The compiler keeps modules from importing each other in a circle. Within a module this does: a folder that needs
/// another one's types is not needed by it.
@Suite("Folders of a module depend in one direction") struct FolderTests {
    /// Every folder with the sources of one module.
    static let modules = Set(
        ((try? SwiftSource.paths(in: "Sources") + SwiftSource.paths(in: "Plugins")) ?? []).compactMap(module)
    ).sorted()

    private static func module(of path: String) -> String? {
        path.firstMatch(of: /^(?:Sources\/\w+(?:\/(?:API|Kit|Rules|Sieve))?|Plugins\/\w+\/Sources\/\w+)\//)
            .map { String($0.output.dropLast()) }
    }

    @Test(arguments: modules)
    func foldersNeedEachOtherInOneDirection(_ module: String) throws {
        let needs = try Self.needs(of: module)
        for folder in needs.keys.sorted() {
            #expect(
                !Self.reached(from: folder, by: needs).contains(folder),
                "\(module)/\(folder) needs \(needs[folder, default: []].sorted()), and one of them needs it")
        }
    }

    /// Otherwise the test above would find nothing, whatever there is.
    @Test func whatAFolderNeedsIsFound() throws {
        #expect(Self.modules.count > 30)
        #expect(try Self.needs(of: "Sources/Compose")["Outbox"]?.contains("Drafts") == true)
        #expect(Self.reached(from: "a", by: ["a": ["b"], "b": ["c"], "c": ["a"]]).contains("a"))
    }

    /// By folder, those whose types it names. Files beside the folders are one of their own.
    private static func needs(of module: String) throws -> [String: Set<String>] {
        let files = try SwiftSource.paths(in: module).map { path in
            let parts = path.dropFirst(module.count + 1).split(separator: "/")
            return (folder: parts.count > 1 ? String(parts[0]) : ".", source: try SwiftSource(path))
        }
        var homes: [String: String] = [:]
        for file in files { for type in file.source.types { homes[type] = file.folder } }
        var needs: [String: Set<String>] = [:]
        for file in files {
            let used = Set(file.source.typeNames.compactMap { homes[$0] })
            needs[file.folder, default: []].formUnion(used.subtracting([file.folder]))
        }
        return needs
    }

    private static func reached(from folder: String, by needs: [String: Set<String>]) -> Set<String> {
        var found: Set<String> = []
        var next = needs[folder, default: []]
        while let one = next.popFirst() {
            if found.insert(one).inserted { next.formUnion(needs[one, default: []]) }
        }
        return found
    }
}
