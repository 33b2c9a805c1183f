import Foundation

/// Makes folders with plugins in them.
public struct PluginFolder {
    public let url: URL

    public init(_ url: URL) {
        self.url = url
    }

    /// A manifest, right but for what is given. A nil value leaves the key out.
    public static func manifest(id: String, _ changes: [String: Any?] = [:]) -> [String: Any] {
        var fields: [String: Any] = [
            "id": id, "name": "Name of \(id)", "version": "1.0.0", "api": "2.0", "kind": "notification",
            "library": "libplugin.so", "license": "Apache-2.0", "author": "Somebody", "hosts": [String](),
        ]
        for (key, value) in changes { fields[key] = value }
        return fields
    }

    /// Adds a plugin's folder with its manifest, and returns where its library has to be.
    @discardableResult
    public func add(_ name: String, manifest: [String: Any]? = nil) throws -> URL {
        let folder = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let fields = manifest ?? Self.manifest(id: "org.example.\(name)")
        let file = folder.appending(path: "plugin.json")
        try JSONSerialization.data(withJSONObject: fields).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        return folder.appending(path: "libplugin.so")
    }

    /// Adds a plugin whose library is built from C.
    public func add(_ name: String, manifest: [String: Any]? = nil, c source: String) async throws {
        try await CLibrary.build(source, to: try add(name, manifest: manifest))
    }
}
