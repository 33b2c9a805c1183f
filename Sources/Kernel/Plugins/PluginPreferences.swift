import FoundationEssentials
import MailKernelAPI
import Store

/// What the user decided about plugins: which are off, which one keeps mail, and each one's settings.
package struct PluginPreferences: Sendable {
    private struct File: Codable {
        var disabled: Set<String>?
        var storage: String?
    }

    private let folders: KernelFolders

    package init(_ folders: KernelFolders) {
        self.folders = folders
    }

    /// The plugins that the user turned off.
    package func disabledIDs() throws(PreferenceError) -> Set<String> { try file().disabled ?? [] }

    /// The storage plugin to use; nil if the user has not chosen one.
    package func storageID() throws(PreferenceError) -> String? { try file().storage }

    private func file() throws(PreferenceError) -> File {
        guard let data = try Self.contents(of: folders.pluginList) else { return File() }
        guard let file = try? JSONDecoder().decode(File.self, from: data) else {
            throw PreferenceError(file: folders.pluginList, problem: "has an unknown format")
        }
        return file
    }

    /// It is on disk when this returns.
    package func setDisabled(_ isDisabled: Bool, _ id: String) throws(PreferenceError) {
        var file = try file()
        var disabled = file.disabled ?? []
        if isDisabled { disabled.insert(id) } else { disabled.remove(id) }
        file.disabled = disabled
        try Self.write(file, to: folders.pluginList)
    }

    /// Chooses the storage plugin for the starts that follow. The choice is on disk when this returns.
    package func setStorage(_ id: String) throws(PreferenceError) {
        var file = try file()
        file.storage = id
        try Self.write(file, to: folders.pluginList)
    }

    package func setSettings(_ settings: PluginSettings, of pluginID: String) throws(PreferenceError) {
        try Self.write(settings, to: folders.settingsFile(of: pluginID))
    }

    private static func write(_ value: some Encodable, to file: URL) throws(PreferenceError) {
        do {
            try KernelFolders.makePrivate(file.deletingLastPathComponent())
            try JSONEncoder().encode(value).write(to: file, options: .atomic)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw PreferenceError(file: file, problem: "cannot be written: the disk is full")
        } catch {
            throw PreferenceError(file: file, problem: "cannot be written")
        }
    }

    package func settings(of pluginID: String) throws(PreferenceError) -> PluginSettings {
        let url = folders.settingsFile(of: pluginID)
        guard let data = try Self.contents(of: url) else { return PluginSettings() }
        guard let settings = try? JSONDecoder().decode(PluginSettings.self, from: data) else {
            throw PreferenceError(file: url, problem: "is not a JSON object")
        }
        return settings
    }

    /// The hosts that the user lets a plugin contact besides those of its manifest: names, or `*.name`.
    package func hosts(of pluginID: String) throws(PreferenceError) -> [String] {
        (try settings(of: pluginID)["hosts"]?.arrayValue ?? []).compactMap(\.stringValue).filter { $0 != "*" }
    }

    /// Nil if there is no such file.
    private static func contents(of file: URL) throws(PreferenceError) -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            throw PreferenceError(file: file, problem: "cannot be read")
        }
    }
}

package struct PreferenceError: Error, Sendable, CustomStringConvertible {
    package let file: URL
    let problem: String

    package var description: String {
        "\(file.path) \(problem). Fix the file, or delete it to start over."
    }
}
