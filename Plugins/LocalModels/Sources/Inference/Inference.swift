import CLlama
import Glibc
import InferenceWire

/// Runs one model for the program that started it, and ends with that program or on its request.
///
/// Model files are untrusted, and llama.cpp aborts its process in unexpected states. So it runs here, without
/// network and write access, and with limited memory.
package enum Inference {
    package static func main() {
        var kind = stat()
        guard fstat(0, &kind) == 0, kind.st_mode & S_IFMT == S_IFSOCK else {
            print("mailkernel starts this program to run a language model.")
            exit(64)
        }
        // Mail has priority: the user should not notice the background work.
        nice(5)
        setenv("GGML_NO_BACKTRACE", "1", 1)
        let line = Line(descriptor: 0)
        guard cllama_confine() != 0 else {
            line.say(.refused(number: nil, .failed("this system does not support the sandbox")))
            exit(1)
        }
        // A thread like any other, confined with the rest.
        guard Line.endsWithProgram(0) else { exit(1) }
        llama_log_set({ _, _, _ in }, nil)
        llama_backend_init()
        guard case .load(let request) = line.next() else { exit(64) }
        do throws(Refusal) {
            if request.isForVectors {
                try answer(line, with: try Reader(request, line))
            } else {
                try answer(line, with: try Writer(request, line))
            }
        } catch {
            line.say(.refused(number: nil, error))
            exit(1)
        }
    }

    private static func answer(_ line: Line, with reader: Reader) throws(Refusal) {
        line.say(.ready)
        while true {
            guard case .embed(let number, let texts) = line.next() else { continue }
            line.answer(number) { () throws(Refusal) in
                .vectors(number: number, Vectors(try reader.vectors(of: texts)))
            }
        }
    }

    private static func answer(_ line: Line, with writer: Writer) throws(Refusal) {
        line.say(.ready)
        while true {
            switch line.next() {
            case .write(let number, let request):
                line.answer(number) { () throws(Refusal) in
                    let (tokens, isCut) = try writer.write(request) {
                        line.say(.piece(number: number, text: $0))
                    }
                    return .written(number: number, tokens: tokens, isCut: isCut)
                }
            case .score(let number, let request):
                line.answer(number) { () throws(Refusal) in
                    .scores(number: number, try writer.scores(request))
                }
            default: continue
            }
        }
    }
}
