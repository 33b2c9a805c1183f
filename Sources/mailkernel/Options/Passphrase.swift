import FoundationEssentials
import Glibc
import MailKernelAPI

/// Gets a passphrase from the person at the terminal, or from a file.
enum Passphrase {
    /// Asks on the terminal without echo. Nil if there is no terminal, or if the program is stopped first.
    static func ask(_ question: String, unless isStopped: () -> Bool = { false }) -> Secret? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        say(question, to: terminal)
        var line: [UInt8] = []
        defer { for index in line.indices { line[index] = 0 } }
        while !isStopped() {
            var polled = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 200) != 0 else { continue }
            var byte: UInt8 = 0
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, line.count < 4_096 else { return nil }
            if byte == UInt8(ascii: "\n") { return Secret(String(decoding: line, as: UTF8.self)) }
            line.append(byte)
        }
        return nil
    }

    /// The first line of a file that only the user can read, such as a systemd credential.
    static func read(_ file: URL) throws(CommandError) -> Secret {
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw CommandError("\(file.path) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw CommandError(
                "Other users can read \(file.path), so it is not safe for a passphrase. Run "
                    + "“chmod go-rwx \(file.path)”.")
        }
        guard let data = try? Data(contentsOf: file) else {
            throw CommandError("\(file.path) cannot be read.")
        }
        let line = data.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else {
            throw CommandError("\(file.path) is empty. Its first line must be the passphrase.")
        }
        return Secret(String(decoding: line, as: UTF8.self))
    }

    private static func say(_ text: String, to terminal: CInt) {
        _ = text.utf8.withContiguousStorageIfAvailable { write(terminal, $0.baseAddress, $0.count) }
    }
}
