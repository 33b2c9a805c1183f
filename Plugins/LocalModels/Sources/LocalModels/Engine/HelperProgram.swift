import CLocalModels
import FoundationEssentials
import Glibc
import MailKernelAPI

/// The program that runs a model, beside this library.
struct HelperProgram: Sendable {
    /// The one that makes use of this processor.
    static let name = clocalmodels_processor_is_wide() != 0 ? "mailkernel-inference-wide" : usualName
    /// Runs on every processor that is supported.
    static let usualName = "mailkernel-inference"

    let path: String

    init(path: String) {
        self.path = path
    }

    /// The one that came with this library, wherever that was loaded from.
    init(named name: String = Self.name) {
        guard let library = clocalmodels_library(#dsohandle), let real = realpath(library, nil) else {
            path = name
            return
        }
        defer { free(real) }
        path =
            URL(filePath: String(cString: real)).deletingLastPathComponent()
            .appending(path: name).path
    }

    /// The path, if the program exists and no other user could have replaced it.
    func checked() throws(ModelError) -> String {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw .failed(
                reason: "“\(path)”, which runs the models, is missing. Rebuild or reinstall the program.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else {
            throw .failed(
                reason:
                    "“\(path)”, which runs the models, can be changed by other users. Remove their write "
                    + "permission: chmod go-w.")
        }
        return path
    }
}

enum SystemMemory {
    /// Bytes that programs can still take, by the system's own estimate; nil if it does not say.
    static var available: Int? {
        guard let text = try? String(contentsOf: URL(filePath: "/proc/meminfo"), encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
