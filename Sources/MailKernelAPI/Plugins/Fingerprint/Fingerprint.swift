import Foundation
import PackagePlugin

/// Writes a source file that holds a digest of the whole API, so that the program and a plugin can
/// tell whether they were compiled against the same layout without a number that must be raised by hand.
@main struct Fingerprint: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let header = context.package.directoryURL
            .appending(path: "CMailKernelPlugin/include/CMailKernelPlugin.h")
        let sources = target.sourceFiles(withSuffix: "swift").map(\.url) + [header]
        let script = context.package.directoryURL.appending(path: "fingerprint.sh")
        let output = context.pluginWorkDirectoryURL.appending(path: "APIFingerprint.swift")
        return [
            .buildCommand(
                displayName: "Fingerprint of the plugin API",
                executable: URL(filePath: "/bin/sh"),
                arguments: [script.path, output.path] + sources.map(\.path).sorted(),
                inputFiles: sources + [script],
                outputFiles: [output]
            )
        ]
    }
}
