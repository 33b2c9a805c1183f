import FoundationEssentials
import MailKernelAPI

/// The models that come with the plugin, the recommended one first. Sizes and digests decide which files run
/// on users' machines, so changes need great care.
///
/// Each digest is in at least two independent public projects. `memoryNeeded` is calculated: the file, the
/// memory for 4096 tokens according to the model's parameters, and 300 MB of working memory.
enum BundledCatalog {
    static let entries: [CatalogEntry] = [
        qwen3(
            "1.7B", id: Id("qwen3-1-7b"), isRecommended: true, size: 1_107_409_472,
            sha256: "b139949c5bd74937ad8ed8c8cf3d9ffb1e99c866c823204dc42c0d91fa181897",
            memoryNeeded: 1_900_000_000),
        qwen3(
            "0.6B", id: Id("qwen3-0-6b"), isRecommended: false, size: 396_705_472,
            sha256: "ac2d97712095a558e31573f62f466a3f9d93990898b0ec79d7c974c1780d524a",
            memoryNeeded: 1_200_000_000),
        qwen3(
            "4B", id: Id("qwen3-4b"), isRecommended: false, size: 2_497_281_312,
            sha256: "f6f851777709861056efcdad3af01da38b31223a3ba26e61a4f8bf3a2195813a",
            memoryNeeded: 3_500_000_000),
        CatalogEntry(
            id: Id("all-minilm-l6-v2"), name: "MiniLM L6 v2",
            purpose: "Sorts mail, searches by meaning and summarizes by quoting. Small and fast; made for "
                + "English.",
            abilities: [.classify, .embed],
            sources: hub(
                "second-state/All-MiniLM-L6-v2-Embedding-GGUF",
                revision: "544f204f2eaa2d71361ffc74d6df7170285b286a", "all-MiniLM-L6-v2-Q8_0.gguf"),
            size: 25_008_064, sha256: "263215c3cadd6e16740741a7624ab4cbb6c8e777688bd5331ecfbf5681c2f8ed",
            license: "Apache-2.0", licenseText: ApacheLicense.text, memoryNeeded: 150_000_000),
    ]

    private static func qwen3(
        _ name: String, id: Id<Model>, isRecommended: Bool, size: Int, sha256: String, memoryNeeded: Int
    ) -> CatalogEntry {
        let purpose =
            switch (isRecommended, size) {
            case (true, _):
                "Writes replies and summaries in many languages. A good choice for most computers."
            case (false, ..<1_000_000_000):
                "Writes replies and summaries in many languages. For older computers; makes more mistakes."
            default: "Writes the best replies and summaries of these. For fast computers with enough memory."
            }
        return CatalogEntry(
            id: id, name: "Qwen3 \(name)", purpose: purpose, abilities: [.generate, .classify],
            sources: hub("unsloth/Qwen3-\(name)-GGUF", revision: "main", "Qwen3-\(name)-Q4_K_M.gguf"),
            size: size, sha256: sha256, license: "Apache-2.0", licenseText: ApacheLicense.text,
            memoryNeeded: memoryNeeded)
    }

    private static func hub(_ repository: String, revision: String, _ file: String) -> [URL] {
        [URL(string: "https://huggingface.co/\(repository)/resolve/\(revision)/\(file)")].compactMap { $0 }
    }
}
