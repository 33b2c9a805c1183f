/// Files that run something, known by how they begin: a name can say anything.
enum ExecutableBytes {
    /// - Parameter head: the first bytes of the file, or all of it.
    static func kind(of head: [UInt8]) -> AttachmentRisk.Kind? {
        for (start, kind) in starts where head.starts(with: start) { return kind }
        if head.starts(with: Array("!<arch>\ndebian".utf8)) { return .installer }
        if head.starts(with: Array("MZ".utf8)) { return isPortableExecutable(head) ? .program : nil }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return kind(ofArchive: head) }
        if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
            return kind(ofOffice: head)
        }
        if isDisk(head) { return .disk }
        return kind(ofText: head)
    }

    private static let starts: [([UInt8], AttachmentRisk.Kind)] = [
        ([0x7F, 0x45, 0x4C, 0x46], .program),
        // Mach-O for either order of bytes and width, and several in one; the last is Java's too.
        ([0xFE, 0xED, 0xFA, 0xCE], .program), ([0xFE, 0xED, 0xFA, 0xCF], .program),
        ([0xCE, 0xFA, 0xED, 0xFE], .program), ([0xCF, 0xFA, 0xED, 0xFE], .program),
        ([0xCA, 0xFE, 0xBA, 0xBE], .program), ([0xCA, 0xFE, 0xBA, 0xBF], .program),
        ([0x64, 0x65, 0x78, 0x0A], .program),
        ([0x00, 0x61, 0x73, 0x6D], .program),
        // Compiled help of Windows, which runs scripts.
        ([0x49, 0x54, 0x53, 0x46], .program),
        ([0x4C, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00], .shortcut),
        // Packages of macOS and Flatpak.
        ([0x78, 0x61, 0x72, 0x21], .installer), (Array("flatpak\0".utf8), .installer),
        // Disks of Windows, squashfs, and notes of OneNote, which hold files to be opened.
        (Array("conectix".utf8), .disk), (Array("vhdxfile".utf8), .disk), (Array("hsqs".utf8), .disk),
        ([0xE4, 0x52, 0x5C, 0x7B, 0x8C, 0xD8, 0xA7, 0x4D], .macros),
        ([0xED, 0xAB, 0xEE, 0xDB], .installer), ([0x43, 0x72, 0x32, 0x34], .installer),
    ]

    /// A text may begin with `MZ` too; a program has an address of its second header.
    private static func isPortableExecutable(_ head: [UInt8]) -> Bool {
        guard head.count >= 0x40 else { return false }
        let text = head.prefix(0x40).allSatisfy { (0x09...0x0D).contains($0) || (0x20...0x7E).contains($0) }
        return !text
    }

    /// Java's archives, extensions of programs, and documents with macros are archives with names in them.
    private static func kind(ofArchive head: [UInt8]) -> AttachmentRisk.Kind? {
        if contains(head, "vbaProject.bin") { return .macros }
        if contains(head, "AndroidManifest.xml") { return .installer }
        if contains(head, "META-INF/MANIFEST.MF") { return .program }
        guard let name = firstName(in: head) else { return nil }
        // The first file in an archive is often the only one.
        let inner = AttachmentRisk.judge(name: name, type: "")
        return inner.flatMap { [.program, .shortcut, .installer].contains($0.kind) ? $0.kind : nil }
    }

    private static func firstName(in head: [UInt8]) -> String? {
        guard head.count > 30 else { return nil }
        let length = Int(head[26]) | Int(head[27]) << 8
        guard length > 0, length < 1000, head.count >= 30 + length else { return nil }
        return String(decoding: head[30..<30 + length], as: UTF8.self)
    }

    /// Installers of Windows and old documents are of one format; macros and tables have names in two bytes a letter.
    private static func kind(ofOffice head: [UInt8]) -> AttachmentRisk.Kind? {
        let macros = ["_VBA_PROJECT", "VBA", "Macros"].contains { contains(head, wide: $0) }
        if macros { return .macros }
        return contains(head, installer) ? .installer : nil
    }

    /// The class of Windows Installer's files. Patches and transforms have numbers of their own before it.
    private static let installer: [UInt8] = [
        0x10, 0x0C, 0x00, 0x00, 0x00, 0x00, 0x00, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46,
    ]

    /// The mark of a CD stands in its first sector behind the empty ones.
    private static func isDisk(_ head: [UInt8]) -> Bool {
        let place = 0x8001
        return head.count > place + 5 && head[place..<place + 5].elementsEqual("CD001".utf8)
    }

    private static func kind(ofText head: [UInt8]) -> AttachmentRisk.Kind? {
        var text = head.prefix(1024)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        if text.starts(with: Array("#!".utf8)) { return .script }
        let start = String(decoding: text.prefix(512), as: UTF8.self).lowercased()
        let lines = start.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        let first = lines.first { !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix(";") } ?? ""
        switch first {
        case "[desktopentry]", "[internetshortcut]": return .shortcut
        case "windowsregistryeditorversion5.00", "regedit4": return .settings
        default: return first.hasPrefix("<?php") ? .script : nil
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        contains(bytes, Array(text.utf8))
    }

    private static func contains(_ bytes: [UInt8], wide text: String) -> Bool {
        contains(bytes, text.utf8.flatMap { [$0, 0] })
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, bytes.count >= part.count else { return false }
        for start in 0...(bytes.count - part.count)
        where bytes[start] == first && bytes[start..<start + part.count].elementsEqual(part) {
            return true
        }
        return false
    }
}
