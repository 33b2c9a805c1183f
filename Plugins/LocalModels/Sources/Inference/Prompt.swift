import CLlama
import Glibc
import InferenceWire

/// The model's input, in the three parts of its template.
///
/// The template's own parts are read with their markers. The inserted text is read as plain text:
/// `<|im_end|>` in a message is ten harmless characters.
struct Prompt {
    /// Placeholders while the template is filled, from Unicode's private use area.
    private static let instructionMark = "\u{E0A1}instruction\u{E0A2}"
    private static let dataMark = "\u{E0A1}data\u{E0A2}"
    /// llama.cpp's own name for it.
    private static let chatML = "chatml"

    /// The same for every text that the same is done with.
    let before: [llama_token]
    let data: [llama_token]
    let after: [llama_token]

    /// - Parameter room: how many tokens it may have. The data is cut.
    init(_ request: WriteRequest, for model: LoadedModel, room: Int) throws(Refusal) {
        let parts = try Self.parts(for: model)
        let beginning = try model.tokens(of: parts[0], withMarkers: true, isWhole: true)
        let instruction = try model.tokens(of: request.instruction, withMarkers: false)
        let middle = try model.tokens(of: parts[1], withMarkers: true)
        before = beginning + instruction.prefix(max(0, room / 2 - beginning.count - middle.count)) + middle
        after = try model.tokens(of: parts[2] + Self.silence(for: model), withMarkers: true)
        let rest = max(0, room - before.count - after.count)
        data = try Array(model.tokens(of: request.data, withMarkers: false).prefix(rest))
        guard before.count + data.count + after.count <= room, !after.isEmpty else {
            throw .failed("the model's context is too small for a text")
        }
    }

    /// The text before the instruction, between it and the data, and after the data.
    private static func parts(for model: LoadedModel) throws(Refusal) -> [String] {
        let isChatML = try model.tokens(of: "<|im_start|>", withMarkers: true).count == 1
        for template in [model.template, isChatML ? chatML : nil] {
            guard let template, let filled = fill(template) else { continue }
            let parts = split(filled)
            if parts.count == 3 { return parts }
        }
        // A model without a conversation template continues the text.
        return ["", "\n\n", "\n\n"]
    }

    private static func split(_ text: String) -> [String] {
        guard let first = text.firstRange(of: instructionMark),
            let second = text[first.upperBound...].firstRange(of: dataMark)
        else { return [] }
        return [
            text[..<first.lowerBound], text[first.upperBound..<second.lowerBound], text[second.upperBound...],
        ].map { String($0) }
    }

    /// Nil if llama.cpp does not know the template. It goes by the looks of it and runs nothing.
    private static func fill(_ template: String) -> String? {
        let texts = ["system", instructionMark, "user", dataMark].map { (text: String) in strdup(text) }
        defer { for text in texts { free(text) } }
        let messages = [
            llama_chat_message(role: UnsafePointer(texts[0]), content: UnsafePointer(texts[1])),
            llama_chat_message(role: UnsafePointer(texts[2]), content: UnsafePointer(texts[3])),
        ]
        var filled = [CChar](repeating: 0, count: 16_384)
        let count = llama_chat_apply_template(template, messages, 2, true, &filled, Int32(filled.count))
        guard count > 0, count <= filled.count else { return nil }
        return String(decoding: filled.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Models that write their reasoning first get an empty one to continue from.
    private static func silence(for model: LoadedModel) throws(Refusal) -> String {
        guard model.template?.contains("<think>") == true,
            try model.tokens(of: "<think>", withMarkers: true).count == 1
        else { return "" }
        return "<think>\n\n</think>\n\n"
    }
}
