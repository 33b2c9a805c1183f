import FoundationEssentials
import Glibc
import JMAP
import Kernel
import LocalServer
import MailKernelAPI

/// The options of the page, and its start.
struct ServerOptions {
    private var port = LocalServerConfiguration.Port.any
    private var tlsPort: LocalServerConfiguration.Port? = .any
    private let opensBrowser: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        opensBrowser = !arguments.flag("--no-browser")
        if let text = try arguments.value("--port") { port = try Self.port(text, "--port") }
        if let text = try arguments.value("--tls-port") {
            tlsPort = text == "none" ? nil : try Self.port(text, "--tls-port", " or none")
        }
    }

    private static func port(
        _ text: String, _ option: String, _ more: String = ""
    ) throws(UsageError) -> LocalServerConfiguration.Port {
        guard let number = Int(text), (0...65535).contains(number) else {
            throw UsageError("\(option) takes a number from 0 to 65535\(more), not “\(text)”.")
        }
        return .number(number)
    }

    /// Offers the service on this computer. Stop what this returns when the program ends.
    func serve(_ service: any JMAPService, _ folders: KernelFolders, _ log: LogOutput) throws -> LocalServer {
        var configuration = LocalServerConfiguration(
            data: folders.server, configuration: folders.configuration, page: Installation.page,
            log: PluginLog(least: log.least) { level, text in log.write(level, "server", text) })
        configuration.privacy = Installation.about?.appending(path: "privacy.md")
        configuration.port = port
        configuration.tlsPort = tlsPort
        do {
            return try LocalServer(configuration, service: service)
        } catch {
            throw CommandError(error.description)
        }
    }

    /// Prints the link that opens the page, and opens it where there is a desktop.
    func announce(_ server: LocalServer) throws {
        let link: String
        do {
            link = try server.startLink()
        } catch {
            throw CommandError(error.description)
        }
        print("Open \(link)")
        fflush(nil)
        if opensBrowser { Browser.open(link) }
    }
}

/// The user's browser.
enum Browser {
    /// Opens the page of the running program at one of its places.
    static func openPage(at place: [String], _ folders: KernelFolders, _ log: LogOutput) {
        do {
            guard let link = try StartLinks(folder: folders.server).make() else { return }
            // What is behind the # stays when the link leads on to the page.
            open(place.isEmpty ? link : "\(link)#/\(place.joined(separator: "/"))")
        } catch {
            log.write(.warning, "mailkernel", "The page could not be opened. \(error.description)")
        }
    }

    /// Opens the link, if there is a desktop; whether that works is not waited for.
    static func open(_ link: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
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
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(link), nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        guard posix_spawnp(&id, "xdg-open", &actions, &attributes, &words, environ) == 0 else { return }
        let child = id
        Task.detached {
            // Waits for the helper, which ends at once, so that nothing is left of it.
            for _ in 0..<600 {
                var status: CInt = 0
                if waitpid(child, &status, WNOHANG) != 0 { return }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
