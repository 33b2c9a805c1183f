import CLlama
import Glibc
import InferenceWire

/// What a model says of a text that says nothing.
struct Inclination {
    let head: [llama_token]
    let labels: [[llama_token]]
    let values: [Double]
}

extension Writer {
    /// Texts that say nothing. What a model says of them is its own inclination.
    private static let blanks = ["N/A", "", "text"]
    private static let longestText = 384
    private static let longestExample = 96
    /// What stands around a text.
    private static let frame = 64

    /// How likely each label is for each text. A small model says the same of everything by itself; so what
    /// it says of a text that says nothing is taken away.
    func scores(_ request: ScoreRequest) throws(Refusal) -> [[Double]] {
        let labels = try request.labels.map { label throws(Refusal) in
            try model.tokens(of: " " + label, withMarkers: false)
        }
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw .failed("a label has no name") }
        let head = try self.head(request)
        let longest = labels.map(\.count).max() ?? 0
        if try !model.makeRoom(for: head.count + Self.longestText + Self.frame + longest) { forgetAll() }
        let inclination = try inclination(to: labels, after: head)
        var scores: [[Double]] = []
        for text in request.texts {
            let found = try likelihoods(labels, of: text, after: head)
            scores.append(Self.shares(zip(found, inclination).map { $0 - $1 }))
        }
        return scores
    }

    private func inclination(
        to labels: [[llama_token]], after head: [llama_token]
    ) throws(Refusal) -> [Double] {
        if let known = inclination, known.labels == labels, known.head == head { return known.values }
        var values = [Double](repeating: 0, count: labels.count)
        for blank in Self.blanks {
            let found = try likelihoods(labels, of: blank, after: head)
            for index in values.indices { values[index] += found[index] / Double(Self.blanks.count) }
        }
        inclination = Inclination(head: head, labels: labels, values: values)
        return values
    }

    /// The examples, in half of the room.
    private func head(_ request: ScoreRequest) throws(Refusal) -> [llama_token] {
        let names = request.labels.joined(separator: ", ")
        var head = try model.tokens(
            of: "Each text has one of these labels: \(names).\n\n", withMarkers: false, isWhole: true)
        for example in request.examples where request.labels.indices.contains(example.label) {
            var more = try Array(opening(example.text, upTo: Self.longestExample))
            more += try model.tokens(of: " \(request.labels[example.label])\n\n", withMarkers: false)
            guard head.count + more.count <= model.size / 2 else { break }
            head += more
        }
        return head
    }

    private func opening(_ text: String, upTo limit: Int) throws(Refusal) -> [llama_token] {
        let start = try model.tokens(of: "Text: ", withMarkers: false)
        let body = try model.tokens(of: text.replacing("\n", with: " "), withMarkers: false).prefix(limit)
        return try start + body + model.tokens(of: "\nLabel:", withMarkers: false)
    }

    private func likelihoods(
        _ labels: [[llama_token]], of text: String, after head: [llama_token]
    ) throws(Refusal) -> [Double] {
        try begin(with: head)
        let question = try opening(text, upTo: min(Self.longestText, model.size / 4))
        try model.read(question)
        let first = Self.logarithms(try model.logits())
        var sums = labels.map { Double(first[Int($0[0])]) }
        for (index, label) in labels.enumerated() where label.count > 1 {
            // Back to where the label begins.
            if !model.forget(after: head.count + question.count) {
                try begin(with: head)
                try model.read(question)
            }
            for (token, next) in zip(label, label.dropFirst()) {
                try model.read([token])
                sums[index] += Double(Self.logarithms(try model.logits())[Int(next)])
            }
        }
        return sums
    }

    private static func logarithms(_ logits: UnsafeBufferPointer<Float>) -> [Float] {
        let top = logits.max() ?? 0
        let sum = logits.reduce(0.0) { $0 + Double(exp($1 - top)) }
        let all = top + Float(log(sum))
        return logits.map { $0 - all }
    }

    /// Numbers that add up to 1, in the proportions that the logarithms say.
    private static func shares(_ logarithms: [Double]) -> [Double] {
        let top = logarithms.max() ?? 0
        let weights = logarithms.map { ($0 - top).isFinite ? exp($0 - top) : 0 }
        let sum = weights.reduce(0, +)
        return sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Double(weights.count) }
    }
}
