import FoundationEssentials

/// The vault file: every secret of this program, sealed with a passphrase. Not for several threads at once.
final class Vault {
    static let shortestPassphrase = 8

    private struct Opened {
        let key: VaultKey
        let header: VaultHeader
        var drawers: [String: [String: String]]
        /// The file as last read or written, to detect changes by others.
        var file: Data
    }

    private let file: SealedFile
    private let cost: () -> VaultCost
    private var opened: Opened?

    /// - Parameter cost: what a passphrase shall cost that is set from now on.
    init(_ url: URL, cost: @escaping () -> VaultCost = { .calibrated() }) {
        file = SealedFile(url)
        self.cost = cost
    }

    var exists: Bool { file.isThere }
    var isOpen: Bool { opened != nil }

    func create(_ passphrase: String) throws(VaultError) {
        guard !exists else { throw .exists(path: file.path) }
        try seal([:], with: passphrase)
    }

    /// - Throws: `.wrongPassphrase`, or `.damaged` if the passphrase is right and the file is not.
    func open(_ passphrase: String) throws(VaultError) {
        guard exists else { throw .missing(path: file.path) }
        let bytes = try file.read()
        let header = try VaultHeader(parsing: bytes, path: file.path)
        guard let key = VaultKey(passphrase: passphrase, salt: header.salt, cost: header.cost) else {
            throw .failed(
                path: file.path, reason: "opening it takes \(header.cost.memory >> 20) MB of memory")
        }
        guard key.fits(header) else { throw .wrongPassphrase }
        guard var plain = key.open(bytes, header),
            let drawers = try? JSONDecoder().decode([String: [String: String]].self, from: plain)
        else { throw .damaged(path: file.path) }
        plain.wipe()
        opened = Opened(key: key, header: header, drawers: drawers, file: bytes)
    }

    /// Forgets everything that was read.
    func close() {
        opened = nil
    }

    /// Removes everything, including the file and its content in memory.
    func remove() throws(VaultError) {
        opened = nil
        try file.remove()
    }

    func changePassphrase(from old: String, to new: String) throws(VaultError) {
        try open(old)
        guard let opened else { throw .wrongPassphrase }
        try seal(opened.drawers, with: new)
    }

    /// Nil if the vault is locked.
    func drawer(_ name: String) -> [String: String]? {
        opened.map { $0.drawers[name] ?? [:] }
    }

    /// Puts back a drawer; it is on disk when this returns. An empty one is removed.
    func put(_ drawer: [String: String], as name: String) throws(VaultError) {
        guard var opened else { throw .wrongPassphrase }
        opened.drawers[name] = drawer.isEmpty ? nil : drawer
        // Another program changed the file, which must not be overwritten.
        guard try file.read() == opened.file else { throw .damaged(path: file.path) }
        guard let nonce = Data.random(count: VaultHeader.nonceSize) else { throw noRandomness }
        var header = opened.header
        header.nonce = nonce
        opened.file = try write(opened.drawers, opened.key, header)
        self.opened = opened
    }

    private func seal(_ drawers: [String: [String: String]], with passphrase: String) throws(VaultError) {
        guard passphrase.count >= Self.shortestPassphrase else {
            throw .passphraseTooShort(least: Self.shortestPassphrase)
        }
        guard let salt = Data.random(count: VaultHeader.saltSize),
            let nonce = Data.random(count: VaultHeader.nonceSize)
        else { throw noRandomness }
        let cost = cost()
        guard let key = VaultKey(passphrase: passphrase, salt: salt, cost: cost) else {
            throw .failed(path: file.path, reason: "sealing it takes \(cost.memory >> 20) MB of memory")
        }
        let header = VaultHeader(cost: cost, salt: salt, check: key.check, nonce: nonce)
        let bytes = try write(drawers, key, header)
        opened = Opened(key: key, header: header, drawers: drawers, file: bytes)
    }

    private func write(
        _ drawers: [String: [String: String]], _ key: VaultKey, _ header: VaultHeader
    ) throws(VaultError) -> Data {
        guard var plain = try? JSONEncoder().encode(drawers) else {
            throw .failed(path: file.path, reason: "a secret cannot be encoded")
        }
        defer { plain.wipe() }
        guard let bytes = key.seal(plain, header) else {
            throw .failed(path: file.path, reason: "sealing it failed")
        }
        try file.replace(with: bytes)
        return bytes
    }

    private var noRandomness: VaultError {
        .failed(path: file.path, reason: "the system provides no random numbers")
    }
}
