import FoundationEssentials
import MailKernelAPI
import PluginHost

/// A plugin as `mailkernel plugins` shows it.
struct PluginListing: Encodable {
    let id: String
    let kind: String?
    let name: String?
    let version: String?
    let license: String?
    let author: String?
    let description: String?
    let hosts: [String]
    let folder: String
    let state: String
    /// Empty if there is nothing to say.
    let reason: String

    init(_ record: PluginRecord) {
        id = record.id
        kind = record.manifest?.kind.rawValue
        name = record.manifest?.name
        version = record.manifest?.version
        license = record.manifest?.license
        author = record.manifest?.author
        description = record.manifest?.description
        hosts = record.manifest?.hosts ?? []
        folder = record.folder.path.printable
        (state, reason) =
            switch record.state {
            case .loaded: ("loaded", record.pastCrash?.sentence(isLoaded: true) ?? "")
            case .refused(let refusal): ("refused", refusal.sentence)
            case .disabled:
                (
                    "disabled",
                    "Turned off by you. “mailkernel plugins --enable \(record.id)” turns it on again."
                )
            case .skippedAfterCrash(let crash):
                (
                    crash.waited == nil ? "skipped after a crash" : "skipped as too slow",
                    crash.sentence(isLoaded: false)
                )
            case .skippedInSafeMode: ("skipped in safe mode", "It did not come with the program.")
            case .notChosen:
                ("available", "It is not in use. “mailkernel --storage \(record.id)” keeps mail there.")
            }
    }

    var text: String {
        var lines = ["\(id): \(state)"]
        if !reason.isEmpty { lines.append(reason) }
        if let name, let version, let kind, let license, let author {
            lines.append("\(name) \(version), \(kind) plugin by \(author), \(license)")
        }
        if let description, !description.isEmpty { lines.append(description) }
        if kind != nil { lines.append("May contact: \(contacts)") }
        lines.append("In \(folder)")
        return lines.joined(separator: "\n    ")
    }

    private var contacts: String {
        if hosts.isEmpty { return "no servers" }
        if hosts.contains("*") { return "any server that you enter" }
        return hosts.joined(separator: ", ")
    }
}

extension PluginCrash {
    /// What happened, its effect, and the solution.
    func sentence(isLoaded: Bool) -> String {
        isLoaded
            ? "\(event). It is loaded anyway, because without it there is no mail. "
                + "“mailkernel plugins --retry \(id)” or replacing its library clears this record."
            : "\(event), so it was skipped. “mailkernel plugins --retry \(id)” or replacing its library "
                + "tries it again."
    }
}
