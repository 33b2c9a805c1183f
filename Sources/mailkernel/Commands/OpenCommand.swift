import FoundationEssentials
import LocalServer
import Store

/// Opens the page of the running program, with a new link.
struct OpenCommand {
    private let folders: KernelFolders
    private let opensBrowser: Bool

    init(_ arguments: inout Arguments) throws {
        opensBrowser = !arguments.flag("--no-browser")
        folders = try CommonOptions.folders(&arguments, isDemo: arguments.flag("--demo"))
        try arguments.finish()
    }

    func run() throws {
        guard InstanceLock.isHeld(folder: folders.data),
            let link = try StartLinks(folder: folders.server).make()
        else {
            throw CommandError(
                "mailkernel is not running on \(folders.data.path). Start it with “mailkernel”; this also opens "
                    + "the page.")
        }
        print("Open \(link)")
        if opensBrowser { Browser(log: LogOutput(least: .warning)).open(link) }
    }
}
