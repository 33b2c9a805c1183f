/// Files that run something, known by how they begin: a name can say anything.
enum ExecutableBytes {
    static func kind(of sample: FileSample) -> AttachmentRisk.Kind? {
        kind(ofHead: sample.head) ?? ArchiveNames(sample).risk ?? TextBytes(sample.head).risk
            ?? (DocumentText.runsSomething(sample) ? .macros : nil)
    }

    /// Whether it is one compressed file, which has no name for what it holds.
    static func isCompressed(_ head: [UInt8]) -> Bool {
        compressed.contains { head.starts(with: $0) }
    }

    private static func kind(ofHead head: [UInt8]) -> AttachmentRisk.Kind? {
        for (start, kind) in starts where head.starts(with: start) { return kind }
        if head.starts(with: Array("!<arch>\ndebian".utf8)) { return .installer }
        if head.starts(with: Array("MZ".utf8)) { return isPortableExecutable(head) ? .program : nil }
        if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
            return kind(ofOffice: head)
        }
        if isDisk(head) { return .disk }
        if isCompressed(head) || head.has(Array("ustar".utf8), at: 257) { return .archive }
        return nil
    }

    /// gzip, bzip2, xz and Zstandard.
    private static let compressed: [[UInt8]] = [
        [0x1F, 0x8B], Array("BZh".utf8), [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x28, 0xB5, 0x2F, 0xFD],
    ]

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
        // Archives of 7-Zip, RAR and Windows.
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .archive), (Array("Rar!".utf8) + [0x1A, 0x07], .archive),
        (Array("MSCF".utf8) + [0, 0, 0, 0], .archive),
        ([0xED, 0xAB, 0xEE, 0xDB], .installer), ([0x43, 0x72, 0x32, 0x34], .installer),
    ]

    /// A text may begin with `MZ` too; a program has an address of its second header.
    private static func isPortableExecutable(_ head: [UInt8]) -> Bool {
        guard head.count >= 0x40 else { return false }
        let text = head.prefix(0x40).allSatisfy { (0x09...0x0D).contains($0) || (0x20...0x7E).contains($0) }
        return !text
    }

    /// Installers of Windows and old documents are of one format; macros and tables have names in two bytes a letter.
    private static func kind(ofOffice head: [UInt8]) -> AttachmentRisk.Kind? {
        let macros = ["_VBA_PROJECT", "VBA", "Macros"].contains { contains(head, wide: $0) }
        if macros { return .macros }
        return head.lastPlace(of: installer) == nil ? nil : .installer
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

    private static func contains(_ bytes: [UInt8], wide text: String) -> Bool {
        bytes.lastPlace(of: text.utf8.flatMap { [$0, 0] }) != nil
    }
}
