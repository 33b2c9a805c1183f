import FoundationEssentials
import MailKernelAPI

/// The description of an imported model, stored in a file beside it.
struct ImportedModel: Codable, Sendable, Equatable {
    /// Longer contexts take more memory than mail is worth.
    static let context = 4096

    var name: String
    var size: Int
    var sha256: String
    var abilities: Set<Model.Ability>
    var license: String
    var memoryNeeded: Int

    init(name: String, size: Int, sha256: String, header: GGUFHeader) {
        let shown = String(name.drop(while: \.isWhitespace)).beginning(upTo: 200)
        self.name = shown.isEmpty ? header.text("general.name") ?? "Imported model" : shown
        self.size = size
        self.sha256 = sha256
        abilities = header.makesVectors ? [.classify, .embed] : [.generate, .classify]
        license = header.text("general.license")?.beginning(upTo: 100) ?? "unknown"
        memoryNeeded = header.memoryNeeded(fileSize: size, context: Self.context)
    }

    static func read(_ path: String) -> ImportedModel? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        let model = try? JSONDecoder().decode(ImportedModel.self, from: data)
        return model.flatMap { model in
            [model.size, model.memoryNeeded].allSatisfy(CatalogEntry.plausible.contains) ? model : nil
        }
    }

    func write(_ path: String) throws(ModelError) {
        do {
            try JSONEncoder().encode(self).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .failed(reason: "The description of the model cannot be saved.")
        }
    }

    func entry(_ id: Id<Model>, file: String) -> CatalogEntry {
        let licenseText =
            license == "unknown"
            ? "The file does not state a license."
            : "The file states the license “\(license)” without its text."
        return CatalogEntry(
            id: id, name: name, purpose: "A model file that you imported.", abilities: abilities,
            sources: [URL(filePath: file)], size: size, sha256: sha256, license: license,
            licenseText: licenseText, memoryNeeded: memoryNeeded)
    }
}

extension GGUFHeader {
    /// Whether it is made for vectors and not for writing.
    var makesVectors: Bool {
        architecture.contains("bert") || architecture == "t5encoder"
            || (number(architecture + ".pooling_type") ?? 0) > 0
    }

    /// The approximate memory to run it: the file, the context, and working memory.
    func memoryNeeded(fileSize: Int, context: Int) -> Int {
        func figure(_ key: String) -> Int? {
            number(architecture + "." + key).map { min(max(0, $0), 1_000_000) }
        }
        let heads = max(1, figure("attention.head_count") ?? 1)
        let width = figure("attention.key_length") ?? (figure("embedding_length") ?? 0) / heads
        let perToken = (figure("attention.head_count_kv") ?? heads).multipliedReportingOverflow(by: width)
        let layers = min(figure("block_count") ?? 0, 10_000)
        // Keys and values, two bytes each.
        let memory = min(perToken.partialValue, 1 << 20) * layers * 4 * context
        return fileSize + (makesVectors ? 100_000_000 : max(0, memory) + 300_000_000)
    }
}
