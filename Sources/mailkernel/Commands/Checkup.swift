import FoundationEssentials
import Glibc
import MailKernelAPI
import PluginHost
import Secrets
import Store

/// The single checks of `mailkernel doctor`.
enum Checkup {
    static var program: Finding {
        Finding(
            .good, "program",
            "mailkernel \(Installation.version), plugin API \(APIVersion.current), built with Swift "
                + "\(PluginHost.swiftVersion).")
    }

    /// To be asked after the plugins were loaded: one could have brought its own copy of the API.
    static var libraries: Finding {
        let paths = PluginHost.librariesInProcess
        let copies = paths.filter { $0.hasSuffix("/libMailKernelAPI.so") }
        guard copies.count == 1 else {
            return Finding(
                .problem, "libraries",
                "There are \(copies.count) copies of the plugin API in one process: "
                    + "\(copies.joined(separator: ", ")). Remove the copies included with plugins.")
        }
        let names = paths.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        let libltdl = names.first { $0.hasPrefix("libltdl.so") } ?? "no libltdl"
        return Finding(
            .good, "libraries", "\(libltdl), \(names.count) libraries in total; one copy of the plugin API.")
    }

    static func folder(_ purpose: String, _ folder: URL) -> Finding {
        var status = stat()
        let problem: String
        if stat(folder.path, &status) != 0 {
            if errno == ENOENT {
                return Finding(
                    .good, purpose, "\(folder.path) does not exist yet; it is created at the first start.")
            }
            let reason = String(cString: strerror(errno))
            problem = "\(folder.path) cannot be examined: \(reason). Check its permissions."
        } else if status.st_mode & S_IFMT != S_IFDIR {
            problem = "\(folder.path) is not a folder. Move it, or choose another folder."
        } else if status.st_uid != geteuid() {
            problem =
                "\(folder.path) belongs to another user. Run “chown -R \(geteuid()) \(folder.path)” as root."
        } else if access(folder.path, R_OK | W_OK | X_OK) != 0 {
            problem = "\(folder.path) cannot be written. Run “chmod u+rwx \(folder.path)”."
        } else if status.st_mode & (S_IRWXG | S_IRWXO) != 0 {
            problem = "Other users have access to \(folder.path). Run “chmod go-rwx \(folder.path)”."
        } else {
            return Finding(.good, purpose, "Only you can read and write \(folder.path).")
        }
        return Finding(.problem, purpose, problem)
    }

    static func freeSpace(_ folder: URL) -> Finding {
        let disk = DiskSpace(folder: folder)
        if disk.isFull { return Finding(.problem, "free space", DiskSpace.fullSentence) }
        let free = disk.free
        let gigabytes = "\(free / 1_000_000_000).\(free / 100_000_000 % 10) GB"
        // A mailbox of the usual size, its search index and the attachments take up to two.
        guard free < 2_000_000_000 else {
            return Finding(.good, "free space", "\(gigabytes) free for mail.")
        }
        return Finding(
            .problem, "free space",
            "Only \(gigabytes) free for mail; a mailbox can need 2 GB. Free some space.")
    }

    static func secretStore(_ keeper: SecretKeeper) async -> Finding {
        do {
            switch try await keeper.state {
            case .secretService:
                return Finding(.good, "secrets", "The desktop's secret store keeps passwords and tokens.")
            case .secretServiceMissing:
                return Finding(
                    .problem, "secrets",
                    "The desktop's secret store keeps passwords and tokens, but cannot be reached. Start mailkernel "
                        + "inside the desktop session.")
            case .needsVault:
                return Finding(
                    .note, "secrets",
                    "No desktop secret store is available. Run “mailkernel vault create” before you add an "
                        + "account.")
            case .vaultLocked, .vaultOpen:
                return Finding(.good, "secrets", "A vault keeps passwords and tokens.")
            }
        } catch {
            return Finding(.problem, "secrets", "\(error)")
        }
    }
}
