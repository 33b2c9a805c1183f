import FoundationEssentials

/// What the process that runs a model is asked for. It does one thing at a time, in the order asked.
package enum Request: Sendable, Hashable, Codable {
    /// The first thing that it hears, and only once.
    case load(LoadRequest)
    case write(number: Int, WriteRequest)
    case score(number: Int, ScoreRequest)
    case embed(number: Int, texts: [String])
    /// Cancels the request with this number immediately.
    case cancel(number: Int)
}

package struct LoadRequest: Sendable, Hashable, Codable {
    package var file: String
    /// Makes vectors, and does not write.
    package var isForVectors: Bool
    /// How many tokens it works with at most.
    package var context: Int
    /// How many bytes it may take besides the file itself.
    package var memoryLimit: Int

    package init(file: String, isForVectors: Bool, context: Int, memoryLimit: Int) {
        (self.file, self.isForVectors) = (file, isForVectors)
        (self.context, self.memoryLimit) = (context, memoryLimit)
    }
}

package struct WriteRequest: Sendable, Hashable, Codable {
    package var instruction: String
    /// Foreign text: nothing in it is a marker of a template.
    package var data: String
    package var maximumTokens: Int
    package var temperature: Double
    package var seed: UInt32
    package var grammar: String?

    package init(
        instruction: String, data: String, maximumTokens: Int, temperature: Double, seed: UInt32,
        grammar: String?
    ) {
        (self.instruction, self.data, self.grammar) = (instruction, data, grammar)
        (self.maximumTokens, self.temperature, self.seed) = (maximumTokens, temperature, seed)
    }
}

/// How likely each label is for each text, seen a few examples.
package struct ScoreRequest: Sendable, Hashable, Codable {
    package struct Example: Sendable, Hashable, Codable {
        package var text: String
        /// An index into `labels`.
        package var label: Int

        package init(text: String, label: Int) {
            self.text = text
            self.label = label
        }
    }

    package var texts: [String]
    package var labels: [String]
    package var examples: [Example]

    package init(texts: [String], labels: [String], examples: [Example]) {
        self.texts = texts
        self.labels = labels
        self.examples = examples
    }
}

/// The process's responses.
package enum Reply: Sendable, Hashable, Codable {
    /// The model is there.
    case ready
    /// It is still at work, and has nothing to show yet.
    case working
    /// The next piece of a text.
    case piece(number: Int, text: String)
    case written(number: Int, tokens: Int, isCut: Bool)
    /// One list per text, in the order of the labels: probabilities that add up to 1.
    case scores(number: Int, [[Double]])
    case vectors(number: Int, Vectors)
    /// It cannot be done. `number` is nil if it is the model that cannot be loaded.
    case refused(number: Int?, Refusal)
}

package enum Refusal: Error, Sendable, Hashable, Codable {
    case cancelled
    /// The file is not a model that can be used.
    case badFile
    case badGrammar
    /// Something else, in a few words for the user.
    case failed(String)
}

/// Vectors of one dimension, as the bytes of their numbers.
package struct Vectors: Sendable, Hashable, Codable {
    private var dimension: Int
    private var bytes: Data

    package init(_ vectors: [[Float]]) {
        dimension = vectors.first?.count ?? 0
        bytes = Data(capacity: vectors.count * dimension * 4)
        for vector in vectors {
            vector.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// Nil if the bytes do not make up whole vectors.
    package var numbers: [[Float]]? {
        guard (1...65_536).contains(dimension), bytes.count % (dimension * 4) == 0 else { return nil }
        let size = dimension * 4
        return stride(from: 0, to: bytes.count, by: size).map { start in
            let slice = [UInt8](bytes.dropFirst(start).prefix(size))
            return slice.withUnsafeBytes { raw in
                (0..<dimension).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
            }
        }
    }
}
