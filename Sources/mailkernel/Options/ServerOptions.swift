import FoundationEssentials
import Glibc
import JMAP
import LocalServer
import MailKernelAPI
import Store

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
            throw UsageError("\(option) must be a number from 0 to 65535\(more), not “\(text)”.")
        }
        return .number(number)
    }

    /// Offers the service on this computer. Stop what this returns when the program ends.
    func serve(_ service: any JMAPService, _ folders: KernelFolders, _ log: LogOutput) throws -> LocalServer {
        var configuration = LocalServerConfiguration(
            data: folders.server, configuration: folders.configuration, page: Installation.page,
            log: PluginLog(least: log.least) { level, text in log.write(level, "server", text) })
        configuration.port = port
        configuration.tlsPort = tlsPort
        do {
            return try LocalServer(configuration, service: service)
        } catch {
            throw CommandError(error.description)
        }
    }

    /// Prints the link that opens the page, and opens it where there is a desktop.
    func announce(_ server: LocalServer, _ log: LogOutput) {
        let link: String
        do {
            link = try server.startLink()
        } catch {
            // A browser that has been let in before still is.
            log.write(.warning, "mailkernel", error.description)
            link = server.pageURL
        }
        print("Open \(link)")
        fflush(nil)
        if opensBrowser { Browser(log: log).open(link) }
    }
}
