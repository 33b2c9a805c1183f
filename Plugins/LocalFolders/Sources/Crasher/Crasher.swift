import CrashingProgram
import LocalFoldersEntry
import MailKernelAPI

/// `local-folders-crasher write FOLDER ROUND`: changes an account, round by round, until it is killed. Prints
/// “ready” at the start and the number of each round once all of it is confirmed.
///
/// `local-folders-crasher fill FOLDER BYTES`: imports until no file may grow beyond that size, prints the
/// error, lifts the limit and continues for a while.
///
/// `local-folders-crasher demo FOLDER`: opens the demo's first mailbox.
///
/// `local-folders-crasher measure FOLDER COUNT KILOBYTES`: imports that many messages of that size in
/// batches, and prints the milliseconds it took.
@main struct Crasher {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        let provider = try CrashingProgram.provider(in: arguments[2], answer: LocalFoldersEntry.answer)
        let mail = try NumberedMail(provider: provider)
        say("ready")
        switch (arguments[1], numbers.first, numbers.last) {
        case ("write", let first?, _):
            let rounds = try await mail.rounds()
            for number in first... {
                try await rounds.perform(number)
                say("\(number)")
            }
        case ("fill", let bytes?, _): try await fill(try await mail.rounds(), bytes)
        case ("measure", let count?, let size?): say("\(try await mail.measure(count, size << 10))")
        case ("demo", _, _): say("\(try await mail.openDemo())")
        default: break
        }
    }

    private static func fill(_ rounds: NumberedRounds, _ bytes: Int) async throws {
        CrashingProgram.limitFiles(to: bytes)
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
        CrashingProgram.limitFiles(to: nil)
        for number in number..<number + 5 {
            try await rounds.perform(number)
            say("\(number)")
        }
    }

    private static func say(_ words: String) { CrashingProgram.say(words) }
}
