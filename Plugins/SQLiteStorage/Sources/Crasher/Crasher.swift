import CrashingProgram
import MailKernelAPI
import SQLiteStorage

/// `sqlite-storage-crasher write FOLDER`: commits numbered change sets until it is killed, and prints “ready”
/// at the start and each number once its commit has returned.
///
/// `sqlite-storage-crasher fill FOLDER BYTES`: the same until no file may grow beyond that size; then prints
/// the error, lifts the limit and continues for a while.
///
/// `sqlite-storage-crasher sample FOLDER`: creates the store that is kept as a sample of its format.
@main struct Crasher {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return }
        let provider = try CrashingProgram.provider(in: arguments[2], answer: SQLiteStorage.answer)
        guard case .storage(let store) = provider else { return }
        CrashingProgram.say("ready")
        _ = try await store.open()
        if arguments[1] == "sample" {
            try await SampleMail.write(to: store)
            return await store.close()
        }
        let writing = NumberedWriting(store)
        try await writing.prepare()
        if arguments[1] == "fill", let bytes = arguments.dropFirst(3).first.flatMap({ Int($0) }) {
            try await fill(writing, bytes)
            await store.close()
        } else {
            while true { try await write(writing) }
        }
    }

    private static func write(_ writing: NumberedWriting) async throws {
        CrashingProgram.say("\(try await writing.next())")
    }

    private static func fill(_ writing: NumberedWriting, _ bytes: Int) async throws {
        CrashingProgram.limitFiles(to: bytes)
        do {
            while true { try await write(writing) }
        } catch {
            CrashingProgram.say("\(error)")
        }
        CrashingProgram.limitFiles(to: nil)
        for _ in 0..<20 { try await write(writing) }
    }
}
