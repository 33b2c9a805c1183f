import Foundation
import Testing

@testable import Mail

@Suite("Attachments that can do harm") struct AttachmentRiskTests {
    private func kind(_ name: String?, _ head: [UInt8] = []) -> AttachmentRisk.Kind? {
        AttachmentRisk.judge(name: name, type: "application/octet-stream", sample: FileSample(whole: head))?
            .kind
    }

    @Test(arguments: [
        ("bash zsh fish csh pl php lua py rb ps1 vbs js cmd bat sh", AttachmentRisk.Kind.script),
        ("elf so exe com scr hta jar appimage run", .program), ("xpi deb rpm msi apk", .installer),
        ("desktop lnk url", .shortcut), ("iso img dmg vhd", .disk), ("docm xlsm", .macros),
        ("shtml html svg mht", .page), ("service reg", .settings), ("xll wasm ppkg", .program),
        ("msh perl wsgi ps eps R jl exs groovy bashrc profile envrc", .script),
        ("path mount automount target slice", .settings), ("kdelnk", .shortcut),
        ("gem egg plasmoid", .installer),
        ("tar tgz tar.gz tar.zst 7z rar cab", .archive), ("exe.gz sh.xz", .packed),
        ("wim ova", .disk), ("theme diagcab", .shortcut),
        ("tool exp nu bas elv psdm1", .script), ("terminal udl mailloc grp remmina", .shortcut),
        ("vsdm accdt mau", .macros), ("webpnp osd", .installer), ("prf ops", .settings),
    ])
    func endingsThatRunSomething(_ endings: String, _ expected: AttachmentRisk.Kind) {
        for ending in endings.split(separator: " ") {
            #expect(kind("file.\(ending)") == expected, "\(ending)")
            #expect(kind("Invoice.pdf.\(ending.uppercased())") == expected, "\(ending)")
        }
    }

    @Test(arguments: [
        "invoice.pdf", "photo.jpg ", "notes.txt", "Report 3.5", "archive.zip", "song.mp3", "letter.docx",
        "sheet.xlsx",
        "report.xml.gz", "Отчёт.док", "résumé.pdf", "12:30.pdf", "archive.com: notes.txt", "Makefile.pdf",
        "👩\u{200D}🚀.png", "\u{200F}مستند.pdf", "README", "data.json", "event.ics", "card.vcf",
    ])
    func whatDoesNothingIsNotMarked(_ name: String) {
        #expect(AttachmentRisk.judge(name: name, type: "application/octet-stream") == nil)
    }

    @Test(arguments: [
        "invoice.pdf                      .exe", "invoice.exe.", "invoice.exe ", "invoice.exe\u{A0}",
        "invoice\u{202E}fdp.exe", "invoice.exe\0.pdf", "invoice\u{FF0E}exe", "invoice.e\u{200B}xe",
        "invoice\u{3002}exe",
        "invoice.ｅｘｅ", "invoice.exe::$DATA", "invoice.exe . .", "invoice.ехе", "invoice.ẹxe", "invoice·exe",
        "invoice.exe;1",
        "invoice•ЕХЕ",
    ])
    func aHiddenEndingIsFound(_ name: String) throws {
        let risk = try #require(AttachmentRisk.judge(name: name, type: "application/pdf"))
        #expect(risk.kind == .program)
        #expect(risk.sentence.hasSuffix("This is a program. Opening it runs it on your computer."))
    }

    @Test func aNameThatIsTurnedRoundIsMarkedWhateverItIs() throws {
        let risk = try #require(AttachmentRisk.judge(name: "a\u{202E}gpj.pdf", type: "application/pdf"))
        #expect(risk.kind == nil && risk.sentence.hasPrefix("The name of this file hides what it is."))
    }

    @Test(arguments: [".bashrc", "Makefile", ".profile", ".envrc"])
    func filesThatProgramsRunByTheirName(_ name: String) {
        #expect(kind(name) == .script)
    }

    private static let heads: [([UInt8], AttachmentRisk.Kind)] = [
        ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1], AttachmentRisk.Kind.program),
        ([0xCF, 0xFA, 0xED, 0xFE, 7], .program),
        ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0], .program), (Array("#!/bin/sh\n".utf8), .script),
        (Array("\u{FEFF}#!/usr/bin/env python3\n".utf8), .script), (Array("<?php system(1);".utf8), .script),
        (Array("# x\n[Desktop Entry]\nExec=x\n".utf8), .shortcut),
        (Array("[InternetShortcut]\r\nURL=x\r\n".utf8), .shortcut),
        ([0x4C, 0, 0, 0, 1, 0x14, 2, 0, 0], .shortcut), (Array("!<arch>\ndebian-binary".utf8), .installer),
        (Array("MZ".utf8) + [UInt8](repeating: 0, count: 200), .program),
        (
            [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
                + Array("_\0V\0B\0A\0_\0P\0R\0O\0J\0E\0C\0T\0".utf8), .macros
        ),
        (Self.archive("word/vbaProject.bin"), .macros), (Self.archive("META-INF/MANIFEST.MF"), .program),
        (Self.archive("invoice.exe"), .packed), (Self.archive("Invoice.lnk"), .packed),
        (Self.archive("folder/invoice.js"), .packed), (Self.zip(["readme.txt", "a.pdf", "b.sh"]), .packed),
        (
            Self.zip(["[Content_Types].xml"] + (0..<3000).map { "word/\($0).xml" } + ["word/vbaProject.bin"]),
            .macros
        ),
        (Self.zip(["mimetype", "content.xml", "Basic/script-lc.xml"]), .macros),
        (Self.zip(["mimetype", "Scripts/python/x.py"]), .macros),
        (Array("%PDF-1.7\n".utf8) + Self.zip(["META-INF/MANIFEST.MF", "A.class"]), .program),
        (
            [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 0, count: 100_000)
                + Self.zip(["META-INF/MANIFEST.MF"]), .program
        ),
        (Array("# \(String(repeating: "x", count: 5000))\n[Desktop Entry]\nExec=x\n".utf8), .shortcut),
        (
            [0xFF, 0xFE] + Array("[Desktop Entry]\n".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            .shortcut
        ),
    ]

    private static let flat =
        "<?xml version='1.0'?>\n<o:document xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0'>"
    private static let package = "<p:package xmlns:p='http://schemas.microsoft.com/office/2006/xmlPackage'>"

    @Test(arguments: [
        "{\\rtf1 {\\object\\objemb}}", "\(flat)<s:event-listener s:event-name='dom:load'/>",
        "\(flat)<ooo:module><ooo:source-code>Sub Main",
        "\(flat)<a x:href='vnd.sun.star.script:x?language=Basic'>",
        "\(package)<p:part p:name='/word/vbaProject.bin'>",
        "\(package)<r Type='x/relationships/attachedTemplate'>",
        "%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>",
        "junk\n%PDF-1.4\n<</S /L#61unch /F(x)>>",
    ])
    func aDocumentTellsWhatItRuns(_ text: String) {
        #expect(kind("letter.pdf", Array(text.utf8)) == .macros)
        #expect(kind(nil, Array(text.utf8)) == .macros)
    }

    @Test(arguments: [
        "\(flat)<o:scripts><o:script s:language='ooo:Basic'><ooo:libraries/></o:script></o:scripts>",
        "<w:wordDocument xmlns:w='http://schemas.microsoft.com/office/word/2003/wordml' w:macrosPresent='no'>",
        "<?xml version='1.0'?><config><event-listener/></config>",
        "%PDF-1.7\n1 0 obj<</OpenAction[3 0 R/XYZ null null 0]>>", "About /JavaScript, not in %PDF",
    ])
    func otherDocumentsAreNotMarked(_ text: String) {
        #expect(kind("letter.dat", Array(text.utf8)) == nil)
    }

    /// A script in a compressed object.
    private static let script =
        "JVBERi0xLjcKOSAwIG9iajw8L1R5cGUvT2JqU3RtL04gMi9GaXJzdCA5L0ZpbHRlci9GbGF0ZURlY29kZS9MZW5ndGggOTk+"
        + "PnN0cmVhbQ0KeJwzVDBQMFIwMVOwsdEPqSxI1XdOLEnMyU/XD0hMTy1WMAZKB+n7F6TmOSaXZObnAdUCBezsQMqD9b0SyxKD"
        + "k4syC0r0vYI1EgsK9BJzUotKYjQMYzQ17ewAwsobLgplbmRzdHJlYW0KZW5kb2JqCiUlRU9GCg=="
    /// A program in one, with escapes in names.
    private static let launch =
        "JVBERi0xLjcKOSAwIG9iajw8L1R5cGUvT2JqIzUzdG0vTiAyL0ZpcnN0IDkvRmlsdGVyL0ZsYXRlRGVjb2RlL0xlbmd0aCA5"
        + "OT4+c3RyZWFtDQp4nDNUMFCwsdEP1vdRNjMszUvO0HfTqNC0swMARXUGCQplbmRzdHJlYW0KZW5kb2JqCiUlRU9GCg=="
    /// Compressed objects that do nothing.
    private static let plain =
        "JVBERi0xLjcKOSAwIG9iajw8L1R5cGUvT2JqU3RtL04gMi9GaXJzdCA5L0ZpbHRlci9GbGF0ZURlY29kZS9MZW5ndGggOTk+"
        + "PnN0cmVhbQ0KeJwzVDBQMFIwMVCwsdEPqSxI1XdOLEnMyU/XD0hMTy1WMAZKB+n7JOala6TmadrZwZWBpfWd80vzShQM9L0z"
        + "U4qjY+3sAGCkFy4KZW5kc3RyZWFtCmVuZG9iagolJUVPRgo="
    /// A compressed page that writes about scripts.
    private static let page =
        "JVBERi0xLjcKOSAwIG9iajw8L0ZpbHRlci9GbGF0ZURlY29kZS9MZW5ndGggOTk+PnN0cmVhbQ0KeJxzClHQcEzKLy1R0PdK"
        + "LEsMTi7KLCjRVAjJUnANAQB/JQjgCmVuZHN0cmVhbQplbmRvYmoKJSVFT0YK"

    @Test(arguments: [(script, true), (launch, true), (plain, false), (page, false)])
    func compressedObjectsOfAPDFAreRead(_ file: String, _ runsSomething: Bool) throws {
        let bytes = Array(try #require(Data(base64Encoded: file)))
        #expect(kind("letter.pdf", bytes) == (runsSomething ? .macros : nil))
    }

    /// Each of its streams is cut, and no more are unpacked than take a moment.
    @Test func aPDFOfManyStreamsIsReadInPart() throws {
        let bytes = Array(try #require(Data(base64Encoded: Self.plain)))
        let many = Array((0..<1000).map { _ in bytes }.joined())
        #expect(ObjectStreams.unpacked(many).count < 20_000)
        #expect(kind("letter.pdf", many) == nil)
    }

    /// It may be anywhere in a document, and is looked for in 2 MB.
    @Test(arguments: [100_000, 1_900_000]) func anObjectLateInADocumentIsFound(_ place: Int) async throws {
        let text = "{\\rtf1 " + String(repeating: "x", count: place) + "{\\object\\objemb}}"
        let file = Data(text.utf8)
        #expect(AttachmentRisk.judge(name: "a.rtf", type: "", sample: FileSample(file))?.kind == .macros)
        let read = try await FileSample.read(size: file.count) { file.dropFirst($0).prefix($1) }
        #expect(AttachmentRisk.judge(name: "a.rtf", type: "", sample: read)?.kind == .macros)
    }

    private static let pages: [([UInt8], AttachmentRisk.Kind)] = [
        "<!DOCTYPE html><p>", "\n <HTML>", "<!-- a > b -->\n<script>",
        "<?xml version='1.0'?><!-- x --><svg xmlns=",
        "<hta:application>", "\u{FEFF}<html>",
    ].map { (Array($0.utf8), .page) }

    @Test(arguments: pages) func aWebPageIsOneWhateverItsName(
        _ head: [UInt8], _ expected: AttachmentRisk.Kind
    ) {
        #expect(kind("invoice.pdf", head) == expected)
        #expect(kind(nil, head) == expected)
    }

    private static let packed: [([UInt8], AttachmentRisk.Kind)] = [
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .archive), (Array("Rar!\u{1A}\u{7}".utf8), .archive),
        ([0x1F, 0x8B, 8], .archive), ([UInt8](repeating: 65, count: 257) + Array("ustar".utf8), .archive),
        (Array("xar!".utf8) + [0, 28], .installer), (Array("flatpak\0".utf8), .installer),
        (Array("conectix".utf8), .disk), (Array("vhdxfile".utf8), .disk), (Array("hsqs".utf8), .disk),
        ([UInt8](repeating: 0, count: 0x8001) + Array("CD001".utf8) + [1], .disk),
        ([0xCA, 0xFE, 0xBA, 0xBF, 0, 0], .program),
        ([0xE4, 0x52, 0x5C, 0x7B, 0x8C, 0xD8, 0xA7, 0x4D, 1], .macros),
        (
            [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 2000)
                + [0x84, 0x10, 0x0C, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46], .installer
        ),
    ]

    @Test(arguments: packed)
    func theBytesTellWhatInstallsOrIsMounted(_ head: [UInt8], _ expected: AttachmentRisk.Kind) {
        #expect(kind("invoice.pdf", head) == expected)
        #expect(kind(nil, head) == expected)
    }

    @Test func theTypeTellsOfMacros() {
        let type = "application/vnd.ms-word.document.macroEnabled.12"
        #expect(AttachmentRisk.judge(name: "letter", type: type)?.kind == .macros)
    }

    @Test(arguments: heads)
    func theBytesTellWhateverTheName(_ head: [UInt8], _ expected: AttachmentRisk.Kind) {
        #expect(kind("photo.jpg", head) == expected)
        #expect(kind(nil, head) == expected)
    }

    @Test(arguments: [
        Array("%PDF-1.7".utf8), Array("Dear MZ,\n#!".utf8),
        Array("MZ is the name of a band, and this is a text about it. ".utf8)
            + Array("It goes on.".utf8), [0x89, 0x50, 0x4E, 0x47], [], [0x50], [0x50, 0x4B, 3, 4],
        Self.zip(["[Content_Types].xml", "xl/printerSettings/printerSettings1.bin"]), Array("<Invoice>".utf8),
        Self.zip(["mimetype", "META-INF/manifest.xml", "content.xml"]),
        Array("<?xml version='1.0'?><a>".utf8),
        Array("{\\rtf1 Hello}".utf8), Array("# Notes\n[Desktop]".utf8),
        Self.archive("[Content_Types].xml"), Self.archive("photos/one.jpg"), Self.archive("index.html"),
        [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0], [0xFF, 0xFE, 0, 0],
    ])
    func otherBytesAreNotMarked(_ head: [UInt8]) {
        #expect(kind("file.dat", head) == nil)
    }

    private static func archive(_ name: String) -> [UInt8] {
        [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 22) + [UInt8(name.utf8.count), 0, 0, 0]
            + Array(name.utf8)
    }

    /// As programs write it: files, their directory, and the end.
    private static func zip(_ names: [String]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        func joined(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }
        let files = names.flatMap { name in
            joined(
                [0x50, 0x4B, 3, 4], zeros(22), number(name.utf8.count, 2), zeros(2), Array(name.utf8),
                zeros(40))
        }
        let directory = names.flatMap { name in
            joined([0x50, 0x4B, 1, 2], zeros(24), number(name.utf8.count, 2), zeros(16), Array(name.utf8))
        }
        let end = joined(
            [0x50, 0x4B, 5, 6], zeros(4), number(names.count, 2), number(names.count, 2),
            number(directory.count, 4),
            number(files.count, 4), zeros(2))
        return joined(files, directory, end)
    }

    @Test func aLongArchiveIsReadAtItsEnd() async throws {
        let file = Data(
            Self.zip((0..<20_000).map { "photos/\($0).jpg" } + ["a.exe"] + (0..<3000).map { "\($0).jpg" }))
        let sample = try await FileSample.read(size: file.count) { file.dropFirst($0).prefix($1) }
        #expect(sample.head.count < 100_000)
        for one in [sample, FileSample(file)] {
            #expect(
                AttachmentRisk.judge(name: "photos.zip", type: "application/zip", sample: one)?.kind
                    == .packed)
        }
    }

    @Test func everySentenceIsInPlainLetters() {
        for kind in AttachmentRisk.Kind.allCases {
            #expect(
                AttachmentRisk(kind: kind, hidesEnding: true).sentence.utf8.allSatisfy {
                    $0 >= 0x20 && $0 < 0x7F
                })
        }
    }
}
