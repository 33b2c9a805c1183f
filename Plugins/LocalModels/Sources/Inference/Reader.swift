import CLlama
import InferenceWire

/// Makes vectors of texts.
struct Reader {
    private let model: LoadedModel
    private let dimension: Int

    init(_ request: LoadRequest, _ line: Line) throws(Refusal) {
        model = try LoadedModel(request, line)
        dimension = model.vectorSize
        guard dimension > 0 else { throw .badFile }
    }

    func vectors(of texts: [String]) throws(Refusal) -> [[Float]] {
        var vectors: [[Float]] = []
        for text in texts { vectors.append(try vector(of: text)) }
        return vectors
    }

    private func vector(of text: String) throws(Refusal) -> [Float] {
        var tokens = try model.tokens(of: text, withMarkers: false, isWhole: true)
        if tokens.count > model.size, let end = tokens.last {
            // Models that put something at the end of a text expect it there.
            tokens = tokens.prefix(model.size - 1) + [end]
        }
        if tokens.isEmpty { tokens = try model.tokens(of: " ", withMarkers: false) }
        guard !tokens.isEmpty else { throw .failed("the model has no tokens for a text") }
        if model.hasMemory { _ = model.forget(after: 0) }
        let result = tokens.withUnsafeMutableBufferPointer { tokens in
            let batch = llama_batch_get_one(tokens.baseAddress, Int32(tokens.count))
            return model.hasMemory ? llama_decode(model.context, batch) : llama_encode(model.context, batch)
        }
        guard result == 0 else {
            throw result == 2 ? .cancelled : .failed("the model stopped with code \(result)")
        }
        // Models that do not say how to make one vector of many are asked for that of the last token.
        guard
            let first = llama_get_embeddings_seq(model.context, 0)
                ?? llama_get_embeddings_ith(model.context, -1)
        else { throw .failed("the model does not produce vectors") }
        return try unit(UnsafeBufferPointer(start: first, count: dimension))
    }

    /// The same direction with length 1.
    private func unit(_ vector: UnsafeBufferPointer<Float>) throws(Refusal) -> [Float] {
        let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard length.isFinite else { throw .failed("the model returned invalid numbers") }
        guard length > 0 else { return [1] + Array(repeating: 0, count: dimension - 1) }
        return vector.map { Float(Double($0) / length) }
    }
}
