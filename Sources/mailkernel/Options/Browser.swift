import FoundationEssentials
import Glibc
import LocalServer
import Store

/// The user's browser.
struct Browser {
    let log: LogOutput

    /// Opens the page of the running program at one of its places.
    func openPage(at place: [String], _ folders: KernelFolders) {
        do {
            guard let link = try StartLinks(folder: folders.server).make() else { return }
            // The fragment is preserved when the link redirects to the page.
            open(place.isEmpty ? link : "\(link)#/\(place.joined(separator: "/"))")
        } catch {
            log.write(.warning, "mailkernel", "The page could not be opened. \(error.description)")
        }
    }

    /// Opens the link, if there is a desktop. What goes wrong with that is in the log alone: the link was
    /// printed as well.
    func open(_ link: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        guard let child = start(["xdg-open", link]) else { return }
        Task.detached {
            // Waits for the helper, which ends at once, so that nothing is left of it.
            for _ in 0..<600 {
                var status: CInt = 0
                guard waitpid(child, &status, WNOHANG) == 0 else {
                    if status != 0 { failed("xdg-open failed.") }
                    return
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func start(_ command: [String]) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: CInt in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The browser shall outlive this program, and Ctrl-C here is not meant for it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let code = posix_spawnp(&id, command[0], &actions, &attributes, &words, environ)
        guard code == 0 else {
            failed("xdg-open could not be started: \(String(cString: strerror(code))).")
            return nil
        }
        return id
    }

    private func failed(_ reason: String) {
        log.write(.warning, "mailkernel", "The browser could not be opened. \(reason)")
    }
}
