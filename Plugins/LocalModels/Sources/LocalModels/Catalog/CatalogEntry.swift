import FoundationEssentials
import MailKernelAPI

/// A downloadable model: the data known before the download.
struct CatalogEntry: Sendable, Hashable, Codable {
    var id: Id<Model>
    var name: String
    var purpose: String
    var abilities: Set<Model.Ability>
    /// Where the same file can be had; the first that answers is taken.
    var sources: [URL]
    var size: Int
    var sha256: String
    var license: String
    var licenseText: String
    var memoryNeeded: Int

    /// More bytes than any machine has: from here on sums might be too large to be counted.
    static let plausible = 1...(1 << 50)

    func model(_ status: Model.Status) -> Model {
        Model(
            id: id, name: name, purpose: purpose, abilities: abilities,
            source: sources.first ?? URL(filePath: "/"), size: size, sha256: sha256, license: license,
            licenseText: licenseText, memoryNeeded: memoryNeeded, status: status)
    }

    /// The problem with a hand-written entry, in a few words; nil if it is valid.
    var problem: String? {
        if !id.isValid || id.rawValue.utf8.count > 100 {
            return "“id” must have at most 100 letters, digits, - and _"
        }
        if id.rawValue.hasPrefix("imported-") { return "“id” may not begin with imported-" }
        for (key, text) in [
            ("name", name), ("purpose", purpose), ("license", license), ("licenseText", licenseText),
        ] where text.isEmpty {
            return "“\(key)” is empty"
        }
        if abilities.isEmpty || abilities.contains(.embed) == abilities.contains(.generate) {
            return "“abilities” must name either generate or embed, and may name classify"
        }
        if sources.isEmpty || !sources.allSatisfy({ $0.scheme == "https" && $0.host?.isEmpty == false }) {
            return "“sources” must be https addresses"
        }
        if !Self.plausible.contains(size) || !Self.plausible.contains(memoryNeeded) {
            return "“size” and “memoryNeeded” must be numbers of bytes"
        }
        let isDigest =
            sha256.utf8.count == 64
            && sha256.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isDigest ? nil : "“sha256” must be 64 lowercase hexadecimal digits"
    }
}

/// The models that can be had: those that come with the plugin, and those that the user added.
enum Catalog {
    /// The settings may contain `"models"`, a list of entries, and `"bundled": false`. A list with an error
    /// is ignored completely, which is easier to notice than a partial list.
    static func entries(_ host: HostServices) -> [CatalogEntry] {
        let bundled = host.settings["bundled"]?.boolValue == false ? [] : BundledCatalog.entries
        guard let list = host.settings["models"] else { return bundled }
        do {
            let own = try JSONDecoder().decode([CatalogEntry].self, from: JSONEncoder().encode(list))
            for entry in own {
                guard let problem = entry.problem else { continue }
                host.log.warning("“models” is ignored: \(public: problem)")
                return bundled
            }
            let ids = Set(own.map(\.id))
            guard ids.count == own.count else {
                host.log.warning("“models” is ignored: two models have the same id")
                return bundled
            }
            return bundled.filter { !ids.contains($0.id) } + own
        } catch {
            host.log.warning("“models” is ignored: it does not have the format described in docs/models.md")
            return bundled
        }
    }
}
