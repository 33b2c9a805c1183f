import FoundationEssentials
import MailKernelAPI
import Store

/// What the user decided about plugins: which are off, and each one's settings.
package struct PluginPreferences: Sendable {
    private struct File: Codable {
        var disabled: Set<String> = []
    }

    private let folders: KernelFolders

    package init(_ folders: KernelFolders) {
        self.folders = folders
    }

    /// The plugins that the user turned off.
    package func disabledIDs() throws(PreferenceError) -> Set<String> {
        guard let data = try Self.contents(of: folders.pluginList) else { return [] }
        guard let file = try? JSONDecoder().decode(File.self, from: data) else {
            throw PreferenceError(file: folders.pluginList, problem: "has an unknown format")
        }
        return file.disabled
    }

    /// It is on disk when this returns.
    package func setDisabled(_ isDisabled: Bool, _ id: String) throws(PreferenceError) {
        var file = File(disabled: try disabledIDs())
        if isDisabled { file.disabled.insert(id) } else { file.disabled.remove(id) }
        do {
            try KernelFolders.makePrivate(folders.configuration)
            try JSONEncoder().encode(file).write(to: folders.pluginList, options: .atomic)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw PreferenceError(file: folders.pluginList, problem: "cannot be written: the disk is full")
        } catch {
            throw PreferenceError(file: folders.pluginList, problem: "cannot be written")
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
