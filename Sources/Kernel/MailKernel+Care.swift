import Care
import FoundationEssentials
import Mail
import MailKernelAPI
import PluginCalls
import PluginHost
import Store
import Sync

extension MailKernel {
    package var olderMail: OlderMail { OlderMail(store: store, services: accounts, clock: clock) }

    package func storageReport() async throws(StorageError) -> StorageReport {
        let usage = try await store.usage()
        let models = await intelligence.models.all().reduce(0) { sum, entry in
            switch entry.model.status {
            case .notDownloaded: sum + entry.received
            case .downloading(let progress): sum + progress.received
            case .downloaded, .unusable: sum + entry.model.size
            }
        }
        var report = StorageReport(usage, models: models)
        for account in try await store.read.accounts() {
            report.clearable += try await blobs.clearableUploads(of: account.id)
        }
        return report
    }

    /// Removes what can be had again, and uploads that nothing became of. Returns how many bytes became free.
    package func clearCache() async throws(StorageError) -> Int {
        var freed = 0
        for account in try await store.read.accounts() {
            freed += try await blobs.removeOldUploads(of: account.id, olderThan: Blobs.clearableAge)
        }
        return freed + (try await store.clearCache())
    }

    /// Where a person finds a model file that they have.
    ///
    /// - Parameter folder: nil for where downloads are.
    package func modelFiles(in folder: String?) throws(ExportProblem) -> FolderListing {
        try FolderListing(of: folder ?? program.downloads?.path ?? "/", ending: "gguf")
    }

    /// Removes every account, message, model, secret, token and file of this program, whatever it is doing.
    /// The kernel cannot be used afterwards: the program restarts.
    ///
    /// - Returns: what could not be removed, a sentence each.
    package func wipe() async -> [String] {
        var problems: [String] = []
        let files = program.folders.map(WipedFiles.init)
        do {
            // Killed from here on, the next start finishes it.
            try files?.mark()
        } catch {
            problems.append("\(error)")
        }
        var silent = await stopWithinSeconds()
        problems += await accounts.revokeAll()
        problems += await intelligence.models.removeAll()
        var isSecretsGone = true
        do {
            try await program.removeSecrets()
        } catch let error as SecretError {
            isSecretsGone = false
            problems.append(
                "Passwords and tokens could not be removed. \(AccountError.secrets(error).sentence)")
        } catch {
            isSecretsGone = false
            problems.append("Passwords and tokens could not be removed. \(error)")
        }
        do throws(StorageError) {
            try await replica?.wipe()
            try await store.wipe()
        } catch {
            problems.append("The mail could not be removed. \(error.sentence)")
        }
        silent.formUnion(pluginCalls.giveUpAll())
        problems += plugins.filter { silent.contains($0.id) }.map(\.silence)
        problems += files?.remove(keepsSecretsPlace: !isSecretsGone, isAgain: !silent.isEmpty) ?? []
        do {
            // Requests before the restart get empty results instead of errors.
            _ = try await store.open()
        } catch {
            problems.append(error.sentence)
        }
        return problems
    }

    /// Stops all work, and gives up the plugins that do not return. Returns their ids.
    private func stopWithinSeconds() async -> Set<String> {
        let stopping = Task { await stop() }
        var silent: Set<String> = []
        // Without the call that it hangs in, a plugin may hang in the one that follows.
        for _ in 0..<3 {
            let hasStopped = await Deadline.run(PluginCallKind.patience, clock) {
                await stopping.value
                return true
            }
            if hasStopped != nil { break }
            silent.formUnion(pluginCalls.giveUpAll())
        }
        return silent
    }

    /// Restarts the program.
    package func restart() { program.restart?() }
}

extension PluginRecord {
    /// What the user reads if the plugin did not return.
    fileprivate var silence: String {
        "The plugin “\(manifest?.name ?? id)” did not respond. Data outside its folder may remain."
    }
}
