import Foundation

/// Mail that others collected. It is not part of the project; tests over it are skipped where it is absent.
public enum Corpora {
    public static let root = Checkout.root.deletingLastPathComponent().appending(path: "shared/corpora")
    public static let areHere = FileManager.default.fileExists(atPath: root.path)

    public static func files(in folder: String, endings: Set<String>? = nil) -> [URL] {
        let all = FileManager.default.enumerator(
            at: root.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.compactMap { $0 as? URL } ?? []).filter { file in
            let isFile = (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile ?? false
            return isFile && (endings.map { $0.contains(file.pathExtension) } ?? true)
        }.sorted { $0.path < $1.path }
    }

    public static let mail: [URL] =
        files(in: "mime4j", endings: ["msg", "eml"])
        + files(in: "nodemailer-mailparser", endings: ["eml"]) + files(in: "mailpit", endings: ["eml"])
        + files(in: "stalwart-mail-parser", endings: ["eml", "msg", "txt"]) + files(in: "spamassassin")
}
