/// The names of the files in a ZIP archive.
///
/// Documents, programs in Java and packages are ZIP archives too. One may also follow another file: a picture that is
/// a program for Java.
struct ArchiveNames {
    private let names: [String]

    init(_ sample: FileSample) {
        let isOne = sample.head.has(Self.file, at: 0)
        let hasDirectory = sample.tail.lastPlace(of: [0x50, 0x4B, 0x05, 0x06]) != nil
        var names: [String] = []
        if isOne { names += Self.names(in: sample.head, after: Self.file, length: 26, name: 30) }
        if isOne || hasDirectory {
            names += Self.names(in: sample.tail, after: Self.entry, length: 28, name: 46)
        }
        self.names = names
    }

    var risk: AttachmentRisk.Kind? {
        let lower = names.map { $0.lowercased().replacing("\\", with: "/") }
        if lower.contains(where: { $0.hasSuffix("vbaproject.bin") }) { return .macros }
        // Programs in Basic and Python in documents of LibreOffice, whose archives begin with their type.
        let isDocument = lower.contains("mimetype")
        if isDocument, lower.contains(where: { $0.hasPrefix("basic/") || $0.hasPrefix("scripts/") }) {
            return .macros
        }
        if lower.contains("androidmanifest.xml") { return .installer }
        if lower.contains("meta-inf/manifest.mf") { return .program }
        return lower.contains(where: Self.canRun) ? .packed : nil
    }

    private static func canRun(_ path: String) -> Bool {
        let name = String(path.split(separator: "/").last ?? "")
        // Documents of Office keep settings of printers in such files.
        guard !name.hasSuffix(".bin"), let kind = AttachmentRisk.judge(name: name, type: "")?.kind else {
            return false
        }
        return [.program, .script, .installer, .shortcut, .disk, .macros].contains(kind)
    }

    private static let file: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    private static let entry: [UInt8] = [0x50, 0x4B, 0x01, 0x02]

    /// - Parameters:
    ///   - mark: how the header of a file begins.
    ///   - length: where in it the length of the name is.
    ///   - name: where in it the name is.
    private static func names(in bytes: [UInt8], after mark: [UInt8], length: Int, name: Int) -> [String] {
        var names: [String] = []
        var place = 0
        while place + name < bytes.count {
            guard bytes[place] == mark[0], bytes.has(mark, at: place) else {
                place += 1
                continue
            }
            let count = Int(bytes[place + length]) | Int(bytes[place + length + 1]) << 8
            let start = place + name
            if count < 4096, start + count <= bytes.count {
                names.append(String(decoding: bytes[start..<start + count], as: UTF8.self))
            }
            place += name
        }
        return names
    }
}
