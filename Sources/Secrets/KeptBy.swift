import FoundationEssentials

/// Who keeps the secrets of a data folder, once it was decided: so that they are not looked for elsewhere
/// when the program is started in another surrounding.
struct KeptBy: Codable {
    enum Place: String, Codable {
        case secretService, vault
    }

    var place: Place
    /// Tells the secrets of this folder from those of another in the desktop's store.
    var store: String

    /// Nil if nothing was decided yet.
    static func read(_ file: SealedFile) throws(VaultError) -> KeptBy? {
        guard file.isThere else { return nil }
        guard let kept = try? JSONDecoder().decode(KeptBy.self, from: try file.read()) else {
            throw .damaged(path: file.path)
        }
        return kept
    }

    func write(_ file: SealedFile) throws(VaultError) {
        guard let data = try? JSONEncoder().encode(self) else { throw .damaged(path: file.path) }
        try file.replace(with: data)
    }
}
