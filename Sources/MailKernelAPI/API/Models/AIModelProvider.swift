public import FoundationEssentials

/// Runs language models on this device.
///
/// The program works without any: without a provider or a model, the features that need one are absent. Mail
/// is data, never an instruction: a provider takes instructions from `instruction` fields only.
///
/// **Calls** come from any task. A provider that can do one thing at a time lets the others wait: calls that
/// the user waits for (a text, the vectors of a few texts) go before background work, otherwise in order of
/// arrival. **Cancellation** ends a call within a quarter of a second, even in the middle of a text, with
/// `ModelError.cancelled`.
///
/// **Errors.** After a user's request (a download, an import) the page shows a sentence and what to do next.
/// Where the program helps unasked (categories, replies), a failure shows nothing.
public protocol AIModelProvider: Sendable {
    /// All models, both available and downloaded, each once, the recommended one first.
    func models() async throws(ModelError) -> [Model]

    /// Downloads a model and verifies it, continuing an earlier unfinished download.
    ///
    /// Canceling keeps the valid part for the next try. The model is complete and verified when this returns,
    /// and not listed as downloaded before.
    ///
    /// - Parameter progress: called at least twice a second while bytes arrive, from any task.
    /// - Throws: `.verificationFailed` after deleting the file: "Download verification failed. Please retry."
    ///   `.noSpace` before downloading anything if possible. `.network`: "Download failed. You can download
    ///   later in Settings."
    func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError)

    /// Deletes the part of a model that an unfinished download has fetched. It is not an error if there is
    /// none.
    func discardDownload(_ id: Id<Model>) async throws(ModelError)

    /// Copies a model file that the user chose and adds it as a model. The file is untrusted: check it first.
    ///
    /// - Throws: `.unsupported` by default.
    func importModel(from file: URL, name: String) async throws(ModelError) -> Model

    /// Deletes a model's files and frees its memory.
    func delete(_ id: Id<Model>) async throws(ModelError)

    /// Writes a text.
    ///
    /// - Parameter partial: called with each piece of text as it is made, from any task. The pieces together
    ///   are the result.
    /// - Throws: `.unsupported` if the model has no `.generate`.
    func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation

    /// Rates how well each label fits each text. Returns one list per text, best label first; its scores add
    /// up to 1.
    ///
    /// - Throws: `.unsupported` if the model has no `.classify`.
    func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]]

    /// One vector of length 1 per text, in the same order. Cuts a text that is too long for the model.
    ///
    /// - Throws: `.unsupported` if the model has no `.embed`.
    func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]]

    /// Frees the memory of all models. The next call loads the model again.
    func unload() async
}

extension AIModelProvider {
    public func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        throw .unsupported("importing a model file")
    }
}

/// A model that can be downloaded or is already here.
public struct Model: Sendable, Hashable, Codable {
    /// A kind of work that a model can do.
    public enum Ability: String, Sendable, Codable, CaseIterable {
        /// Write texts: summaries and replies.
        case generate
        /// Sort texts by labels: categories.
        case classify
        /// Turn texts into vectors, for finding similar ones.
        case embed
    }

    /// Whether the model can be used.
    public enum Status: Sendable, Hashable, Codable {
        /// Available for download; nothing of it is on this device.
        case notDownloaded
        /// A download is under way, or has stopped and keeps this much for the next try.
        case downloading(DownloadProgress)
        /// On this device, verified and ready.
        case downloaded
        /// On this device, but cannot run here. The user sees the reason.
        case unusable(reason: String)
    }

    /// Made by the provider. Must stay the same in later versions: the kernel remembers the user's choice by
    /// it.
    public var id: Id<Model>
    /// The name that the user sees.
    public var name: String
    /// What it is good for, in a sentence.
    public var purpose: String
    /// What it can do. Other requests must throw `.unsupported`.
    public var abilities: Set<Ability>
    /// Where it is downloaded from: an https address, or a file address for an imported model. The user sees
    /// it.
    public var source: URL
    /// Bytes to download.
    public var size: Int
    /// The digest of the file, in lower-case hexadecimal digits.
    public var sha256: String
    /// The short name of the license, such as "Apache-2.0".
    public var license: String
    /// The full text of the license, which the user can read before the download.
    public var licenseText: String
    /// Bytes of memory it needs to run. An estimate.
    public var memoryNeeded: Int
    /// Whether it can be used now.
    public var status: Status

    public init(
        id: Id<Model>, name: String, purpose: String, abilities: Set<Ability>, source: URL, size: Int,
        sha256: String, license: String, licenseText: String, memoryNeeded: Int, status: Status
    ) {
        self.id = id
        self.name = name
        self.purpose = purpose
        self.abilities = abilities
        self.source = source
        self.size = size
        self.sha256 = sha256
        self.license = license
        self.licenseText = licenseText
        self.memoryNeeded = memoryNeeded
        self.status = status
    }
}

/// How far a download has come.
public struct DownloadProgress: Sendable, Hashable, Codable {
    /// Bytes on this device, those of earlier tries included.
    public var received: Int
    /// Bytes of the whole download.
    public var total: Int
    /// The current speed; 0 if it is unknown. The page computes the time left from it.
    public var bytesPerSecond: Double

    public init(received: Int, total: Int, bytesPerSecond: Double) {
        self.received = received
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }
}

/// A text to write.
public struct GenerationRequest: Sendable, Hashable, Codable {
    /// The model to use. It has the ability `.generate`.
    public var model: Id<Model>
    /// The task, in the program's own words. Never a piece of mail.
    public var instruction: String
    /// The text to work on, written by strangers. Chat template markers in it are ordinary text.
    public var data: String
    /// The most tokens to write; 0 writes nothing.
    public var maximumTokens: Int
    /// How much chance decides; 0 always takes the likeliest continuation.
    public var temperature: Double
    /// Starts the random numbers. The same request with the same seed gives the same text.
    public var seed: UInt32
    /// A GBNF grammar that the text must follow; nil for free text.
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

/// A text that a model wrote.
public struct Generation: Sendable, Hashable, Codable {
    /// The whole text, equal to the `partial` pieces together.
    public var text: String
    /// How many tokens it has.
    public var tokens: Int
    /// Whether it ended only because `maximumTokens` was reached.
    public var isCut: Bool

    public init(text: String, tokens: Int, isCut: Bool) {
        self.text = text
        self.tokens = tokens
        self.isCut = isCut
    }
}

/// Texts to rate against labels.
public struct ClassificationRequest: Sendable, Hashable, Codable {
    /// The model to use. It has the ability `.classify`.
    public var model: Id<Model>
    /// The texts, written by strangers: data, never instructions.
    public var texts: [String]
    /// The labels to rate, each name once.
    public var labels: [Label]

    /// A label with examples.
    public struct Label: Sendable, Hashable, Codable {
        /// Names the label in the result.
        public var name: String
        /// Texts that have this label; can be empty.
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

/// How well one label fits a text.
public struct LabelScore: Sendable, Hashable, Codable {
    /// The `Label.name` of the request.
    public var label: String
    /// From 0 to 1. The scores of one text add up to 1.
    public var score: Double

    public init(label: String, score: Double) {
        self.label = label
        self.score = score
    }
}

/// Why a call to a model failed.
public enum ModelError: Error, Hashable, Codable {
    /// There is no such model, or it is not downloaded.
    case notAvailable
    /// The download stopped with this network error.
    case network(NetworkError)
    /// The downloaded file has the wrong digest and was deleted.
    case verificationFailed
    /// Too little free space, in bytes. The user sees both numbers.
    case noSpace(needed: Int, free: Int)
    /// The file is not a usable model. The user sees the reason.
    case badFile(reason: String)
    /// The model or the provider cannot do this. The text names the action, as in "importing a model file".
    case unsupported(String)
    /// The model ran out of memory or time, or crashed and was stopped.
    case failed(reason: String)
    /// The task was canceled. The user sees nothing.
    case cancelled
}
