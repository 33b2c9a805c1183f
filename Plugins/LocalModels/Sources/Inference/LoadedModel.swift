import CLlama
import Glibc
import InferenceWire

/// A model and the room that it works in. The one place that calls llama.cpp with pointers.
final class LoadedModel {
    /// Nothing that is asked takes less.
    private static let leastRoom = 256

    let vocabulary: OpaquePointer
    /// Where it works. For what writes it is there from the first `makeRoom` on.
    private(set) var context: OpaquePointer?
    /// How many tokens it works with at most.
    let size: Int
    /// The most tokens of one call: one more and llama.cpp ends the process.
    let batch: Int
    private let model: OpaquePointer
    private let threads: OpaquePointer
    private let request: LoadRequest
    private let line: Line

    init(_ request: LoadRequest, _ line: Line) throws(Refusal) {
        self.line = line
        self.request = request
        var parameters = llama_model_default_params()
        parameters.n_gpu_layers = 0
        parameters.load_mode = LLAMA_LOAD_MODE_MMAP
        let me = Unmanaged.passUnretained(line).toOpaque()
        // Asked while it loads: ends the process when the program is gone.
        parameters.progress_callback = { _, line in LoadedModel.isStopped(line) == false }
        parameters.progress_callback_user_data = me
        guard cllama_limit_memory(UInt64(max(0, request.memoryLimit))) != 0 else {
            throw .failed("its memory cannot be limited")
        }
        guard let model = llama_model_load_from_file(request.file, parameters),
            let vocabulary = llama_model_get_vocab(model)
        else { throw .badFile }
        let trained = Int(llama_model_n_ctx_train(model))
        size = max(16, min(request.context, trained > 0 ? trained : request.context))
        batch = request.isForVectors ? size : min(size, 512)
        // Kept: otherwise ggml begins and ends its threads for each token.
        var pool = ggml_threadpool_params_default(Processors.useful)
        guard let threads = ggml_threadpool_new(&pool) else { throw Self.noMemory }
        self.model = model
        self.threads = threads
        self.vocabulary = vocabulary
        if request.isForVectors { context = try newContext(size) }
    }

    deinit {
        if let context { llama_free(context) }
        ggml_threadpool_free(threads)
        llama_model_free(model)
    }

    /// Ensures room for this many tokens. Memory for the maximum would be large, and initializing it takes
    /// longer than reading a message.
    ///
    /// - Returns: false if the model's state was lost.
    func makeRoom(for count: Int) throws(Refusal) -> Bool {
        var room = context.map { Int(llama_n_ctx($0)) } ?? 0
        guard context == nil || count > room && room < size else { return true }
        room = max(room, Self.leastRoom)
        while room < min(count, size) { room *= 2 }
        let larger = try newContext(min(room, size))
        guard llama_get_memory(larger) != nil else {
            llama_free(larger)
            throw .badFile
        }
        if let context { llama_free(context) }
        context = larger
        return false
    }

    private static let noMemory = Refusal.failed("there is not enough memory for this model")

    private func newContext(_ size: Int) throws(Refusal) -> OpaquePointer {
        var room = llama_context_default_params()
        room.n_ctx = UInt32(size)
        room.n_batch = UInt32(batch)
        room.n_ubatch = UInt32(batch)
        room.n_seq_max = 1
        room.n_threads = Processors.useful
        room.n_threads_batch = Processors.useful
        room.embeddings = request.isForVectors
        room.abort_callback = { line in LoadedModel.isStopped(line) }
        room.abort_callback_data = Unmanaged.passUnretained(line).toOpaque()
        guard let context = llama_init_from_model(model, room) else { throw Self.noMemory }
        llama_attach_threadpool(context, threads, nil)
        return context
    }

    private static func isStopped(_ line: UnsafeMutableRawPointer?) -> Bool {
        line.map { Unmanaged<Line>.fromOpaque($0).takeUnretainedValue().isStopped } ?? true
    }

    var vocabularySize: Int { Int(llama_vocab_n_tokens(vocabulary)) }
    var vectorSize: Int { Int(llama_model_n_embd_out(model)) }
    var hasMemory: Bool { context.flatMap { llama_get_memory($0) } != nil }

    func metadata(_ key: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard llama_model_meta_val_str(model, key, &buffer, buffer.count) >= 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The model's own template of a conversation; nil if it has none.
    var template: String? { llama_model_chat_template(model, nil).map { String(cString: $0) } }

    /// - Parameters:
    ///   - withMarkers: whether text such as `<|im_end|>` is a marker or plain text.
    ///   - isWhole: adds the model's start and end tokens.
    func tokens(of text: String, withMarkers: Bool, isWhole: Bool = false) throws(Refusal) -> [llama_token] {
        let bytes = text.utf8.count
        var tokens = [llama_token](repeating: 0, count: bytes + 16)
        let count = llama_tokenize(
            vocabulary, text, Int32(bytes), &tokens, Int32(tokens.count), isWhole, withMarkers)
        guard count >= 0 else { throw .failed("a text could not be split into tokens") }
        return Array(tokens.prefix(Int(count)))
    }

    func bytes(of token: llama_token) -> [UInt8] {
        var piece = [CChar](repeating: 0, count: 256)
        let count = llama_token_to_piece(vocabulary, token, &piece, Int32(piece.count), 0, false)
        return piece.prefix(Int(max(0, count))).map { UInt8(bitPattern: $0) }
    }

    /// Reads tokens after those that it has in mind.
    func read(_ tokens: some Collection<llama_token>) throws(Refusal) {
        guard let context else { throw Self.noMemory }
        var rest = Array(tokens)[...]
        while !rest.isEmpty {
            var next = Array(rest.prefix(batch))
            rest = rest.dropFirst(next.count)
            let result = next.withUnsafeMutableBufferPointer { tokens in
                llama_decode(context, llama_batch_get_one(tokens.baseAddress, Int32(tokens.count)))
            }
            switch result {
            case 0: if line.isStopped { throw .cancelled }
            case 2: throw .cancelled
            default: throw .failed("the model stopped with code \(result)")
            }
        }
    }

    /// Drops the state after the first `count` tokens. False if all of it was lost.
    func forget(after count: Int) -> Bool {
        guard let memory = context.flatMap({ llama_get_memory($0) }) else { return false }
        if llama_memory_seq_rm(memory, 0, llama_pos(count), -1) { return true }
        llama_memory_clear(memory, true)
        return false
    }

    /// How likely each token is to come next, before anything is made of it.
    func logits() throws(Refusal) -> UnsafeBufferPointer<Float> {
        guard let context, let first = llama_get_logits_ith(context, -1) else {
            throw .failed("the model returned nothing")
        }
        return UnsafeBufferPointer(start: first, count: vocabularySize)
    }
}

enum Processors {
    /// How many threads are worth having: two on one core gain nothing.
    static var useful: Int32 {
        let available = Int(cllama_processors())
        return Int32(max(1, min(8, available > 4 ? available / 2 : available)))
    }
}
