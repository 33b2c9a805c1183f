import PluginHost

/// Why a plugin is not tried again, in a sentence.
package struct PluginRetryProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

extension MailKernel {
    /// Lets the next start try a plugin again that this one left out: one that was turned off, crashed the
    /// program, or was refused for a reason that may be mended by then.
    ///
    /// - Returns: whether there is such a plugin.
    package func tryPluginAgain(_ id: String) throws(PluginRetryProblem) -> Bool {
        guard let record = plugins.first(where: { $0.id == id }) else { return false }
        guard let folders = program.folders else {
            throw PluginRetryProblem(description: "Crashes of plugins are not recorded here.")
        }
        do {
            switch record.state {
            case .loaded:
                throw PluginRetryProblem(description: "The plugin is already loaded.")
            case .skippedInSafeMode:
                throw PluginRetryProblem(description: "Start mailkernel without --safe-mode to load it.")
            case .notChosen:
                throw PluginRetryProblem(description: "Start mailkernel with “--storage \(id)” to use it.")
            case .disabled: try PluginPreferences(folders).setDisabled(false, id)
            case .skippedAfterCrash: _ = try PluginLoader.retry(id, memoryFolder: folders.pluginMemory)
            case .refused: break
            }
        } catch let problem as PluginRetryProblem {
            throw problem
        } catch {
            throw PluginRetryProblem(description: "\(error)")
        }
        return true
    }
}
