import FoundationEssentials
import Glibc

/// Where a file goes that the user takes along.
struct ExportPlace: Sendable {
    let folder: URL
    private let name: String
    private let ending: String
    /// Of a name that can have 255 bytes, the rest is for the ending and a number.
    private static let longestName = 180
    let unfinished: String

    init(_ folder: URL, name: String, ending: String) {
        self.folder = folder
        let safe = name.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
                ? "_" : Character(scalar)
        }
        var short = String(safe)
        while short.utf8.count > Self.longestName { short.removeLast() }
        self.name = short
        self.ending = ending
        unfinished =
            folder.appending(
                path: ".\(self.name).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
            ).path
    }

    /// Gives the finished file its name, which is on disk when this returns. A file that is there already
    /// stays.
    func finish() throws(ExportProblem) -> String {
        for number in 1..<1000 {
            let path = folder.appending(path: name + (number == 1 ? "" : " (\(number))") + "." + ending).path
            if link(unfinished, path) == 0 {
                unlink(unfinished)
            } else if [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) {
                guard try moveWithoutLinks(to: path) else { continue }
            } else if errno == EEXIST {
                continue
            } else {
                break
            }
            try syncFolder()
            return path
        }
        throw ExportProblem(folder.path)
    }

    /// Where a file cannot have two names, as on a memory stick: an empty file keeps the name until it is
    /// replaced. Returns whether the name was free.
    func moveWithoutLinks(to path: String) throws(ExportProblem) -> Bool {
        let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard reserved >= 0 else {
            if errno == EEXIST { return false }
            throw ExportProblem(folder.path)
        }
        close(reserved)
        guard rename(unfinished, path) == 0 else {
            let problem = ExportProblem(path)
            unlink(path)
            throw problem
        }
        return true
    }

    /// Until then the name is gone after a power cut.
    private func syncFolder() throws(ExportProblem) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExportProblem(folder.path) }
        defer { close(descriptor) }
        // Some network file systems do not support this, and return an error.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw ExportProblem(folder.path) }
    }

    func discard() { unlink(unfinished) }

    /// The user's downloads folder, as configured on the desktop.
    static func downloads(environment: [String: String]) -> URL? {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        let configuration = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        let list = FileManager.default.contents(atPath: configuration + "/user-dirs.dirs") ?? Data()
        for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
            guard line.hasPrefix("XDG_DOWNLOAD_DIR=\""), line.hasSuffix("\"") else { continue }
            let path = String(line.dropFirst("XDG_DOWNLOAD_DIR=\"".count).dropLast())
                .replacing("$HOME", with: home)
            if path.hasPrefix("/"), access(path, W_OK) == 0 { return URL(filePath: path) }
        }
        let usual = home + "/Downloads"
        return URL(filePath: access(usual, W_OK) == 0 ? usual : home)
    }
}

extension ProgramAccess {
    /// The user's downloads folder.
    package static func downloads(environment: [String: String]) -> URL? {
        ExportPlace.downloads(environment: environment)
    }
}

/// Why a file could not be written.
package struct ExportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// What the system said last.
    init(_ path: String) {
        description = "“\(path)” cannot be written: \(String(cString: strerror(errno)))."
    }

    init(sentence: String) {
        description = sentence
    }
}
