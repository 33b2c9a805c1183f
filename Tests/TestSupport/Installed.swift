import Foundation

/// The program on folders of its own.
public struct Installed: Sendable {
    public let place: TemporaryFolder
    private let program: URL
    private let plugins: [URL]

    /// - Parameter plugins: the folders of plugins; none leaves the choice to the program.
    public init(plugins: [URL] = [Checkout.mockPlugins], program: URL = Checkout.program) throws {
        place = try TemporaryFolder()
        self.plugins = plugins
        self.program = program
    }

    public var data: URL { place.url.appending(path: "data") }
    public var configuration: URL { place.url.appending(path: "configuration") }

    /// Starts the program and leaves it running.
    public func start(_ arguments: String...) throws -> Command {
        try start(arguments)
    }

    public func start(_ arguments: [String]) throws -> Command {
        try Command(
            program, arguments + common + (Self.isServing(arguments) ? ["--no-browser"] : []),
            environment: environment)
    }

    private static func isServing(_ arguments: [String]) -> Bool {
        !["plugins", "storage"].contains(arguments.first)
    }

    /// Starts it under a tool that watches it and writes a report.
    public func start(_ arguments: [String], under tool: URL, _ report: URL) throws -> Command {
        try Command(
            tool, [report.path, program.path] + arguments + common + ["--no-browser"],
            environment: environment)
    }

    /// Starts it, expecting that it ends by itself.
    public func run() async throws -> CommandResult {
        try await start().result()
    }

    /// Runs a command of the program to its end.
    public func run(_ command: String, _ arguments: String..., loadsPlugins: Bool = true) async throws
        -> CommandResult
    {
        try await Command.run(
            program, [command] + arguments + (loadsPlugins ? common : folders), environment: environment)
    }

    /// Plugins here are loaded beside the program's own.
    public var addedPlugins: URL { place.url.appending(path: "mailkernel-plugins") }

    /// The desktop of the user who runs the tests is left alone, with the passwords that it keeps and the plugins
    /// that were added.
    private var environment: [String: String] {
        [
            "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": place.url.path,
            "XDG_DATA_HOME": place.url.path,
        ]
    }

    /// Writes the settings of a plugin.
    public func setSettings(_ json: String, of id: String) throws {
        try place.write(json, to: "configuration/plugins/\(id).json")
    }

    private var common: [String] {
        plugins.flatMap { ["--plugins", $0.path] } + folders
    }

    private var folders: [String] { ["--data", data.path, "--config", configuration.path] }
}
