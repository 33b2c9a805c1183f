import FoundationEssentials
import Glibc
import MailKernelAPI
import SQLiteStorage

/// `sqlite-storage-crasher write FOLDER`: commits numbered change sets until it is killed, and prints
/// each number once its commit has returned.
///
/// `sqlite-storage-crasher fill FOLDER BYTES`: does so until no file may grow beyond so many bytes,
/// prints the error, lifts the limit and goes on for a while.
///
/// `sqlite-storage-crasher sample FOLDER`: makes the store that is kept as a file of its format.
@main struct Crasher {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return }
        guard case .storage(let store) = try provider(in: arguments[2]) else { return }
        _ = try await store.open()
        if arguments[1] == "sample" {
            try await SampleMail.write(to: store)
            return await store.close()
        }
        let writing = NumberedWriting(store)
        try await writing.prepare()
        if arguments[1] == "fill", let bytes = arguments.dropFirst(3).first.flatMap({ rlim_t($0) }) {
            try await fill(writing, bytes)
            await store.close()
        } else {
            while true { say("\(try await writing.next())") }
        }
    }

    private static func fill(_ writing: NumberedWriting, _ bytes: rlim_t) async throws {
        // The write itself is to fail, as on a full disk, and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        do {
            while true { say("\(try await writing.next())") }
        } catch {
            say("\(error)")
        }
        limit.rlim_cur = rlim_t.max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        for _ in 0..<20 { say("\(try await writing.next())") }
    }

    /// Through the plugin's own entry, as the kernel gets it.
    private static func provider(in folder: String) throws -> Provider {
        let host = HostServices(
            pluginID: "crasher", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: Nothing(), dataFolder: URL(filePath: folder), clock: Nothing(), network: Nothing())
        let call = ProviderCall(host: host)
        withExtendedLifetime(call) {
            _ = SQLiteStorage.answer(Unmanaged.passUnretained(call).toOpaque())
        }
        guard let answer = call.answer else { throw StorageError.closed }
        return try answer.get()
    }

    /// At once and in one piece: the reader has to know what was confirmed before the end came.
    private static func say(_ words: String) {
        let line = Array((words + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
