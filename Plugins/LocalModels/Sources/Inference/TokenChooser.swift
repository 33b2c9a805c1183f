import CLlama
import InferenceWire

/// Chooses the next token: the likeliest or a random one, within a grammar if there is one.
final class TokenChooser {
    private let vocabulary: OpaquePointer
    private let grammar: UnsafeMutablePointer<llama_sampler>?
    /// Nil to take the likeliest.
    private let dice: UnsafeMutablePointer<llama_sampler>?

    init(_ request: WriteRequest, vocabulary: OpaquePointer) throws(Refusal) {
        self.vocabulary = vocabulary
        if let text = request.grammar {
            // Nothing would be no grammar at all to llama.cpp.
            guard !text.isEmpty, let grammar = llama_sampler_init_grammar(vocabulary, text, "root") else {
                throw .badGrammar
            }
            self.grammar = grammar
        } else {
            grammar = nil
        }
        dice = request.temperature > 0 ? Self.dice(Float(request.temperature), request.seed) : nil
    }

    deinit {
        if let grammar { llama_sampler_free(grammar) }
        if let dice { llama_sampler_free(dice) }
    }

    private static func dice(_ temperature: Float, _ seed: UInt32) -> UnsafeMutablePointer<llama_sampler>? {
        let chain = llama_sampler_chain_init(llama_sampler_chain_default_params())
        llama_sampler_chain_add(chain, llama_sampler_init_top_k(40))
        llama_sampler_chain_add(chain, llama_sampler_init_top_p(0.9, 1))
        llama_sampler_chain_add(chain, llama_sampler_init_temp(temperature))
        llama_sampler_chain_add(chain, llama_sampler_init_dist(seed))
        return chain
    }

    /// Nil if the grammar allows nothing.
    func choose(_ logits: UnsafeBufferPointer<Float>) -> llama_token? {
        var token = dice == nil ? Self.likeliest(logits) : pick(logits, within: nil)
        // A grammar takes long over a whole vocabulary: it is asked about the favorite first.
        if let grammar, token.map({ allows(grammar, $0) }) != true {
            token = pick(logits, within: grammar)
        }
        guard let token else { return nil }
        if let grammar { llama_sampler_accept(grammar, token) }
        return token
    }

    /// The first of the greatest; nil if there is none. Sixteen are looked at together: it is a pause between
    /// tokens in which all threads wait.
    private static func likeliest(_ logits: UnsafeBufferPointer<Float>) -> llama_token? {
        typealias Several = SIMD16<Float>
        let bytes = UnsafeRawBufferPointer(logits)
        let size = MemoryLayout<Several>.size
        var best = Several(repeating: -.infinity)
        for offset in stride(from: 0, to: bytes.count / size * size, by: size) {
            let next = bytes.loadUnaligned(fromByteOffset: offset, as: Several.self)
            best.replace(with: next, where: next .> best)
        }
        var top = best.max()
        for logit in logits.suffix(logits.count % Several.scalarCount) where logit > top { top = logit }
        guard top > -Float.infinity else { return nil }
        return logits.firstIndex(of: top).map { llama_token($0) }
    }

    private func allows(_ grammar: UnsafeMutablePointer<llama_sampler>, _ token: llama_token) -> Bool {
        var candidate = llama_token_data(id: token, logit: 1, p: 0)
        return withUnsafeMutablePointer(to: &candidate) { candidate in
            var all = llama_token_data_array(data: candidate, size: 1, selected: -1, sorted: false)
            llama_sampler_apply(grammar, &all)
            return candidate.pointee.logit > -Float.infinity
        }
    }

    private func pick(
        _ logits: UnsafeBufferPointer<Float>, within grammar: UnsafeMutablePointer<llama_sampler>?
    ) -> llama_token? {
        var candidates = logits.enumerated().map { index, logit in
            llama_token_data(id: llama_token(index), logit: logit, p: 0)
        }
        if let grammar {
            candidates.withUnsafeMutableBufferPointer { buffer in
                var all = llama_token_data_array(
                    data: buffer.baseAddress, size: buffer.count, selected: -1, sorted: false)
                llama_sampler_apply(grammar, &all)
            }
            candidates.removeAll { $0.logit == -Float.infinity }
        }
        guard let dice else { return candidates.max { $0.logit < $1.logit }?.id }
        guard !candidates.isEmpty else { return nil }
        return candidates.withUnsafeMutableBufferPointer { buffer in
            var all = llama_token_data_array(
                data: buffer.baseAddress, size: buffer.count, selected: -1, sorted: false)
            llama_sampler_apply(dice, &all)
            guard (0..<Int64(all.size)).contains(all.selected) else { return nil }
            return all.data[Int(all.selected)].id
        }
    }
}
