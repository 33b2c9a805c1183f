public import FoundationEssentials

/// Runs language models on this machine.
///
/// Everything here is optional to the program: without a provider, or without a model, the features
/// that need one are absent and nothing is broken. Mail is data, never an instruction: a provider
/// takes instructions from `instruction` fields only.
///
/// **Calls.** From any task; a provider that can do one thing at a time lets the others wait: those
/// that somebody waits for (a text, the vectors of a few texts) come before work in the background,
/// and otherwise each in the order it came. **Cancellation** ends a call within a quarter of a second,
/// also in the middle of a text, with `ModelError.cancelled`.
///
/// **Errors.** Where the user asked (a download, an import) they see a sentence and a way on; where
/// the program helps unasked (categories, replies) a failure shows nothing at all.
public protocol AIModelProvider: Sendable {
    /// The models that can be had and those that are here, the recommended one first.
    func models() async throws(ModelError) -> [Model]

    /// Downloads a model and verifies it, going on where an earlier try stopped.
    ///
    /// Cancelling keeps what is valid for the next try. The model is there as a whole, verified, when
    /// this returns, and not at all before.
    ///
    /// - Parameter progress: called at least twice a second while bytes arrive, from any task.
    /// - Throws: `.verificationFailed` after deleting the file: "Download verification failed. Please
    ///   retry." `.noSpace` before anything is fetched where possible. `.network`: "Download failed.
    ///   You can download later in Settings."
    func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError)

    /// Forgets what an unfinished download has fetched. There being nothing to forget is not an error.
    func discardDownload(_ id: Id<Model>) async throws(ModelError)

    /// Takes in a model file that the user has. The file is copied, and hostile until checked.
    ///
    /// - Throws: `.unsupported` by default.
    func importModel(from file: URL, name: String) async throws(ModelError) -> Model

    /// Deletes a model's files and frees its memory.
    func delete(_ id: Id<Model>) async throws(ModelError)

    /// Continues a text.
    ///
    /// - Parameter partial: called with each piece of text as it is made, from any task; the pieces
    ///   together are the result.
    /// - Throws: `.unsupported` if the model has no `.generate`.
    func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation

    /// How well each label fits each text. One list per text, best first, scores adding up to 1.
    ///
    /// - Throws: `.unsupported` if the model has no `.classify`.
    func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]]

    /// One vector of length 1 per text, in their order. Texts are cut where the model ends.
    ///
    /// - Throws: `.unsupported` if the model has no `.embed`.
    func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]]

    /// Frees the memory of all models. They are loaded again when they are next used.
    func unload() async
}

extension AIModelProvider {
    public func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        throw .unsupported("importing a model file")
    }
}

/// A model that can be had, and how far it is.
public struct Model: Sendable, Hashable, Codable {
    public enum Ability: String, Sendable, Codable, CaseIterable {
        case generate, classify, embed
    }

    public enum Status: Sendable, Hashable, Codable {
        case notDownloaded
        /// Or, while nobody downloads it, how much of an unfinished download is kept.
        case downloading(DownloadProgress)
        case downloaded
        /// It is here but cannot run on this machine; the reason is for the user.
        case unusable(reason: String)
    }

    public var id: Id<Model>
    public var name: String
    /// What it is good for, in a sentence.
    public var purpose: String
    public var abilities: Set<Ability>
    public var source: URL
    /// Of the download, in bytes.
    public var size: Int
    /// In lower-case hexadecimal digits.
    public var sha256: String
    /// The short name of the licence, such as "Apache-2.0".
    public var licence: String
    public var licenceText: String
    /// What it takes to run, in bytes.
    public var memoryNeeded: Int
    public var status: Status

    public init(
        id: Id<Model>, name: String, purpose: String, abilities: Set<Ability>, source: URL, size: Int,
        sha256: String, licence: String, licenceText: String, memoryNeeded: Int, status: Status
    ) {
        self.id = id
        self.name = name
        self.purpose = purpose
        self.abilities = abilities
        self.source = source
        self.size = size
        self.sha256 = sha256
        self.licence = licence
        self.licenceText = licenceText
        self.memoryNeeded = memoryNeeded
        self.status = status
    }
}

public struct DownloadProgress: Sendable, Hashable, Codable {
    public var received: Int
    public var total: Int
    public var bytesPerSecond: Double

    public init(received: Int, total: Int, bytesPerSecond: Double) {
        self.received = received
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }
}

public struct GenerationRequest: Sendable, Hashable, Codable {
    public var model: Id<Model>
    /// What to do. The program's own words, never a piece of mail.
    public var instruction: String
    /// What to do it with. Markers of a chat template in it are text like any other.
    public var data: String
    public var maximumTokens: Int
    /// 0 always takes the likeliest continuation.
    public var temperature: Double
    /// The same seed and request give the same text.
    public var seed: UInt32
    /// A GBNF grammar that the text has to follow, if any.
    public var grammar: String?

    public init(
        model: Id<Model>, instruction: String, data: String, maximumTokens: Int = 256,
        temperature: Double = 0, seed: UInt32 = 0, grammar: String? = nil
    ) {
        self.model = model
        self.instruction = instruction
        self.data = data
        self.maximumTokens = maximumTokens
        self.temperature = temperature
        self.seed = seed
        self.grammar = grammar
    }
}

public struct Generation: Sendable, Hashable, Codable {
    public var text: String
    public var tokens: Int
    /// It ended because `maximumTokens` was reached.
    public var isCut: Bool

    public init(text: String, tokens: Int, isCut: Bool) {
        self.text = text
        self.tokens = tokens
        self.isCut = isCut
    }
}

public struct ClassificationRequest: Sendable, Hashable, Codable {
    public var model: Id<Model>
    public var texts: [String]
    public var labels: [Label]

    public struct Label: Sendable, Hashable, Codable {
        public var name: String
        /// Texts that have it.
        public var examples: [String]

        public init(name: String, examples: [String]) {
            self.name = name
            self.examples = examples
        }
    }

    public init(model: Id<Model>, texts: [String], labels: [Label]) {
        self.model = model
        self.texts = texts
        self.labels = labels
    }
}

public struct LabelScore: Sendable, Hashable, Codable {
    public var label: String
    public var score: Double

    public init(label: String, score: Double) {
        self.label = label
        self.score = score
    }
}

public enum ModelError: Error, Hashable, Codable {
    /// There is no such model, or it is not downloaded.
    case notAvailable
    case network(NetworkError)
    case verificationFailed
    case noSpace(needed: Int, free: Int)
    /// The file is not a model that can be used.
    case badFile(reason: String)
    case unsupported(String)
    /// The model ran into its limits of memory or time, or crashed and was stopped.
    case failed(reason: String)
    case cancelled
}
