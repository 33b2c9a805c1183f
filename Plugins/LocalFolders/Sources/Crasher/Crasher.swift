import FoundationEssentials
import Glibc
import LocalFolders
import MailKernelAPI

/// `local-folders-crasher write FOLDER ROUND`: works in an account, round by round, until it is killed, and
/// prints the number of each round once all of it is confirmed.
///
/// `local-folders-crasher fill FOLDER BYTES`: imports until no file may grow beyond so many bytes, prints
/// the error, lifts the limit and goes on for a while.
///
/// `local-folders-crasher demo FOLDER`: opens the demo's first mailbox.
///
/// `local-folders-crasher measure FOLDER COUNT KILOBYTES`: imports so many messages of so many kilobytes
/// in batches, and prints how many milliseconds that took.
@main struct Crasher {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        let mail = try NumberedMail(provider: try provider(in: arguments[2]))
        switch (arguments[1], numbers.first, numbers.last) {
        case ("write", let first?, _):
            let rounds = try await mail.rounds()
            for number in first... {
                try await rounds.perform(number)
                say("\(number)")
            }
        case ("fill", let bytes?, _): try await fill(try await mail.rounds(), rlim_t(bytes))
        case ("measure", let count?, let size?): say("\(try await mail.measure(count, size << 10))")
        case ("demo", _, _): say("\(try await mail.openDemo())")
        default: break
        }
    }

    private static func fill(_ rounds: NumberedRounds, _ bytes: rlim_t) async throws {
        // The write itself is to fail, as on a full disk, and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        setLimit(bytes)
        var number = 1
        do {
            while true {
                try await rounds.perform(number)
                say("\(number)")
                number += 1
            }
        } catch {
            say("\(error)")
        }
        setLimit(rlim_t.max)
        for number in number..<number + 5 {
            try await rounds.perform(number)
            say("\(number)")
        }
    }

    private static func setLimit(_ bytes: rlim_t) {
        var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// Through the plugin's own entry, as the kernel gets it.
    private static func provider(in folder: String) throws -> Provider {
        let host = HostServices(
            pluginID: "crasher", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: Nothing(), dataFolder: URL(filePath: folder), clock: Nothing(), network: Nothing())
        let call = ProviderCall(host: host)
        withExtendedLifetime(call) {
            _ = LocalFolders.answer(Unmanaged.passUnretained(call).toOpaque())
        }
        guard let answer = call.answer else { throw AccountError.notFound }
        return try answer.get()
    }

    /// At once and in one piece: the reader has to know what was confirmed before the end came.
    private static func say(_ words: String) {
        let line = Array((words + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
