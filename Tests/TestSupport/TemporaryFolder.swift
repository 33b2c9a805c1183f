import Foundation

/// A folder that is removed with the object.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "mailkernel-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Makes a folder in it.
    public func folder(_ path: String) throws -> URL {
        let folder = url.appending(path: path)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return folder
    }

    @discardableResult
    public func write(_ text: String, to path: String) throws -> URL {
        let file = url.appending(path: path)
        _ = try folder(file.deletingLastPathComponent().path.replacing(url.path, with: ""))
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        return file
    }
}
