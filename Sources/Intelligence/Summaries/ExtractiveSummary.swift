/// A summary that only quotes: the sentences of a thread that say most of it.
enum ExtractiveSummary {
    struct Line: Sendable {
        var speaker: String
        var text: String
        /// Of the message in its thread.
        var message: Int
    }

    static let limit = 420
    private static let mostLines = 60
    private static let sentences = 2...4

    /// The sentences of a thread that can stand alone. The newest are kept where there are too many.
    static func lines(of messages: [(speaker: String, text: String)]) -> [Line] {
        var lines: [Line] = []
        for (index, message) in messages.enumerated() {
            for sentence in Sentences.of(message.text) {
                let words = sentence.split(separator: " ").count
                // Greetings carry no information, and very long sentences are unreadable.
                guard (4...45).contains(words), sentence.count <= 260,
                    sentence.contains(where: { $0.isLetter }), !isCourtesy(sentence),
                    let safe = SafeText.line(sentence, limit: 260)
                else { continue }
                lines.append(Line(speaker: message.speaker, text: safe, message: index))
            }
        }
        return Array(lines.suffix(mostLines))
    }

    /// Two to four sentences in their order; nil if there is too little to choose from.
    static func summary(of lines: [Line], vectors: [[Float]]) -> String? {
        guard lines.count > sentences.lowerBound, vectors.count == lines.count,
            let middle = Vectors.middle(of: vectors.map { ($0, 1) })
        else { return nil }
        let last = lines.last?.message ?? 0
        let scores = zip(lines, vectors).map { line, vector in
            Vectors.dot(vector, middle) + weight(of: line.text)
                + (line.message == last ? 0.15 : 0.05 * Float(line.message) / Float(max(1, last)))
        }
        var chosen: [Int] = []
        var length = 0
        while chosen.count < sentences.upperBound {
            let rest = lines.indices.filter {
                !chosen.contains($0) && length + lines[$0].text.count <= limit
            }
            let best = rest.max {
                worth($0, scores, vectors, chosen) < worth($1, scores, vectors, chosen)
            }
            guard let best else { break }
            chosen.append(best)
            length += lines[best].text.count
        }
        return chosen.isEmpty ? nil : write(chosen.sorted().map { lines[$0] })
    }

    /// What a sentence adds to those that were chosen.
    private static func worth(
        _ index: Int, _ scores: [Float], _ vectors: [[Float]], _ chosen: [Int]
    ) -> Float {
        let alike = chosen.map { Vectors.dot(vectors[$0], vectors[index]) }.max() ?? 0
        return scores[index] - 0.6 * alike
    }

    /// The speaker is named before the sentence, once.
    private static func write(_ lines: [Line]) -> String {
        var text = ""
        var speaker: String?
        for line in lines {
            if !text.isEmpty { text += " " }
            if line.speaker != speaker, !line.speaker.isEmpty { text += "\(line.speaker): " }
            text += line.text
            speaker = line.speaker
        }
        return text
    }

    /// Decisions, tasks and dates.
    private static func weight(of sentence: String) -> Float {
        let words = Set(sentence.lowercased().split { !$0.isLetter })
        let found = words.intersection(cues).count
        let hasNumber = sentence.contains(where: \.isNumber)
        return min(0.3, 0.1 * Float(found)) + (hasNumber ? 0.05 : 0)
    }

    private static func isCourtesy(_ sentence: String) -> Bool {
        let lower = sentence.lowercased()
        return sentence.count < 60 && courtesies.contains { lower.contains($0) }
    }

    private static let courtesies = [
        "hope you are well", "hope this finds you", "kind regards", "best regards",
        "looking forward to hearing",
        "freundlichen grüßen", "liebe grüße", "ich hoffe, es geht", "cordialement", "bien à vous",
        "j'espère que vous allez bien", "un saludo", "saludos cordiales", "espero que est", "cordiali saluti",
        "spero che tutto bene",
    ]

    private static let cues: Set<Substring> = [
        "decided", "decide", "agreed", "agree", "agrees", "approved", "confirmed", "please", "deadline",
        "until",
        "must", "need", "needs", "will", "plan", "next", "final", "instead", "postponed", "cancelled",
        "moved",
        "beschlossen", "entschieden", "einverstanden", "vereinbart", "bestätigt", "bitte", "frist", "bis",
        "muss", "müssen", "brauchen", "verschoben", "abgesagt", "stattdessen",
        "décidé", "accord", "confirmé", "merci", "échéance", "avant", "doit", "devons", "reporté", "annulé",
        "acordado", "decidido", "acuerdo", "confirmado", "favor", "plazo", "hay", "debemos",
        "aplazado", "cancelado",
        "deciso", "accordo", "confermato", "scadenza", "entro", "dobbiamo", "deve", "rinviato", "annullato",
    ]
}
