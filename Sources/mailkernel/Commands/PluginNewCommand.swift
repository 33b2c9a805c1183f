import FoundationEssentials
import Glibc
import MailKernelAPI
import Store

/// Begins a plugin: a package that builds, loads and has a test.
struct PluginNewCommand {
    private let template: PluginTemplate
    private let parent: URL

    init(_ arguments: inout Arguments) throws {
        let kinds = PluginKind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = try arguments.value("--name") else {
            throw UsageError("“plugins new” needs --name, for example “--name Weather”.")
        }
        guard Self.isTypeName(name) else {
            throw UsageError(
                "--name must be a capital letter followed by letters and digits, not “\(name)”.")
        }
        guard let kindText = try arguments.value("--kind"), let kind = PluginKind(rawValue: kindText) else {
            throw UsageError("“plugins new” needs --kind, which is one of: \(kinds).")
        }
        parent = URL(filePath: try arguments.value("--into") ?? ".")
        try arguments.finish()
        guard let sdk = Installation.sdk else {
            throw CommandError("The packages for building plugins are not included in this program.")
        }
        template = PluginTemplate(
            name: name, kind: kind, sdk: Self.path(to: sdk, from: parent.appending(path: name)))
    }

    func run() throws {
        let folder = parent.appending(path: template.name)
        guard access(folder.path, F_OK) != 0 else {
            throw CommandError("\(folder.path) already exists. Choose another name, or move it.")
        }
        do {
            for (path, text) in template.files {
                let file = folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755])
                try Data(text.utf8).write(to: file)
                guard chmod(file.path, 0o644) == 0 else { throw CocoaError(.fileWriteNoPermission) }
            }
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw CommandError("\(folder.path) cannot be written. Choose another place with --into.")
        }
        let place = KernelFolders.addedPlugins(environment: ProcessInfo.processInfo.environment)
            .appending(path: template.name).path
        print(
            """
            Created \(folder.path). To test and build it:

                cd \(folder.path)
                swift test
                swift build -c release --product \(template.name)

            To load it from the next start, along with the program's own plugins:

                install -D -m 644 plugin.json \(place)/plugin.json
                install -D -m 755 .build/release/\(template.library) \(place)/\(template.library)
                mailkernel plugins test \(place)
            """)
    }

    private static func isTypeName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (1...40).contains(name.utf8.count) else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    /// Relative inside a checkout, so that it can be moved as a whole; else absolute.
    private static func path(to sdk: URL, from folder: URL) -> String {
        let root = sdk.deletingLastPathComponent().pathComponents
        let target = folder.deletingLastPathComponent().resolvingSymlinksInPath()
            .appending(path: folder.lastPathComponent).pathComponents
        guard target.starts(with: root) else { return sdk.path }
        let steps = Array(repeating: "..", count: target.count - root.count)
        return (steps + [sdk.lastPathComponent]).joined(separator: "/")
    }
}
