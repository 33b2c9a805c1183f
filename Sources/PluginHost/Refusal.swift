public import MailKernelAPI

/// Why a plugin was not loaded. Each case has two sentences: the problem, and the solution.
public enum Refusal: Error, Hashable, Sendable {
    case noManifest
    case manifestUnreadable(String)
    case manifestTooLarge(Int)
    case manifestNotJSON
    /// The key (empty for the whole file) and its problem.
    case manifestKey(String, String)
    case unknownKind(String)
    case duplicateID(first: String)
    /// The file or folder, and why it is unsafe.
    case unsafePermissions(path: String, String)
    case missingLibrary(String)
    case notALibrary(String)
    case missingDependency(String)
    case unresolvedSymbol(String)
    case cannotOpen(String)
    case noDescriptor
    case brokenDescriptor(String)
    case otherAPIVersion(plugin: APIVersion)
    case otherAPILayout(plugin: String, program: String)
    case otherSwift(plugin: String, program: String)
    case factoryThrew(String)
    case factoryTooSlow(seconds: Int)
    case otherKind(manifest: PluginKind, library: PluginKind)

    /// The problem, as a sentence.
    public var reason: String {
        switch self {
        case .noManifest: "The folder holds a library but no plugin.json."
        case .manifestUnreadable(let why): "plugin.json cannot be read: \(why)."
        case .manifestTooLarge(let size):
            "plugin.json is \(size) bytes long; the limit is \(PluginManifest.sizeLimit)."
        case .manifestNotJSON: "plugin.json is not valid JSON."
        case .manifestKey("", let problem): "plugin.json cannot be used: \(problem)."
        case .manifestKey(let key, let problem): "In plugin.json, “\(key)” cannot be used: \(problem)."
        case .unknownKind(let kind):
            "plugin.json says that the plugin is of the kind “\(kind)”, which this program does not support."
        case .duplicateID(let first): "Another plugin already has this id: the one in \(first)."
        case .unsafePermissions(let path, let problem): "\(path) \(problem)."
        case .missingLibrary(let name): "The library \(name) is not in the folder."
        case .notALibrary(let what): "The library cannot be used: \(what)."
        case .missingDependency(let name):
            "The library requires \(name), which is not installed on this computer."
        case .unresolvedSymbol(let symbol):
            "The library requires the symbol \(symbol), which this program does not provide."
        case .cannotOpen(let why): "The library cannot be opened: \(why)."
        case .noDescriptor: "The library does not have the function mailkernel_plugin."
        case .brokenDescriptor(let what): "The library is not a valid plugin: \(what)."
        case .otherAPIVersion(let plugin):
            "The plugin was built for version \(plugin) of the plugin API; this program has \(APIVersion.current)."
        case .otherAPILayout(let plugin, let program):
            "The plugin was built against a different build of the plugin API \(APIVersion.current): "
                + "the plugin has \(plugin), this program has \(program)."
        case .otherSwift(let plugin, let program):
            "The plugin was built with a different Swift version: the plugin with \(plugin), this program with "
                + "\(program)."
        case .factoryThrew(let why): "The plugin could not start: \(why)"
        case .factoryTooSlow(let seconds): "The plugin was not ready within \(seconds) seconds."
        case .otherKind(let manifest, let library):
            "plugin.json says that the plugin is of the kind “\(manifest.rawValue)”, "
                + "but its library is of the kind “\(library.rawValue)”."
        }
    }

    /// What to do about it, as a sentence.
    public var remedy: String {
        switch self {
        case .noManifest: "Put the plugin's plugin.json next to the library, or remove the folder."
        case .manifestUnreadable: "Check the file's permissions, or reinstall the plugin."
        case .manifestTooLarge, .manifestNotJSON, .manifestKey:
            "Correct the file, or ask the plugin's author for a corrected one."
        case .unknownKind:
            "The kinds are \(PluginKind.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "A newer version of this program may support more."
        case .duplicateID: "Remove one of the two."
        case .unsafePermissions(let path, _):
            "Make sure that only you can change it: chown it to yourself and run chmod go-w on \(path)."
        case .missingLibrary: "Build or reinstall the plugin."
        case .notALibrary: "Build the plugin for this computer, or reinstall it."
        case .missingDependency: "Install the package that contains it."
        case .unresolvedSymbol, .otherAPIVersion, .otherAPILayout:
            "Rebuild the plugin with this program's API, or install a version made for this program."
        case .cannotOpen: "Reinstall the plugin, or ask its author."
        case .noDescriptor, .brokenDescriptor:
            "This is not a mailkernel plugin, or it is incomplete: ask its author."
        case .otherSwift: "Rebuild the plugin with the Swift version that this program was built with."
        case .factoryThrew: "Check the plugin's settings and documentation."
        case .factoryTooSlow:
            "It will be skipped at the next start. “mailkernel plugins --retry ID” tries it again."
        case .otherKind: "Ask the plugin's author for a corrected version."
        }
    }

    public var sentence: String { "\(reason) \(remedy)" }
}
