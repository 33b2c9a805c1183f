import MailKernelAPI
import MessageFormat
import StoreRules

/// A question about the attachments of an email. It passes if one of them does.
package enum AttachmentTest: Sendable, Hashable {
    /// The name contains this text, which is folded; with `*` first, it ends with the rest.
    case name(String)
    case kind(AttachmentKind)

    /// - Parameter name: as it was typed.
    package init(named name: String) { self = .name(TextFolding.fold(name)) }

    func passes(_ attachment: AttachmentName) -> Bool {
        switch self {
        case .name(let text) where text.hasPrefix("*"): attachment.name.hasSuffix(text.dropFirst())
        case .name(let text): attachment.name.contains(text)
        case .kind(let kind): kind.includes(attachment)
        }
    }
}

/// What is known of an attachment without reading it.
struct AttachmentName: Sendable, Hashable {
    /// Folded.
    var name: String
    var type: String

    static func all(of body: EmailBody) -> [AttachmentName] {
        BodyParts.split(body.structure).attachments.map {
            AttachmentName(name: TextFolding.fold($0.name ?? ""), type: $0.type)
        }
    }
}

/// A kind of file that people look for.
package enum AttachmentKind: String, Sendable, Hashable, CaseIterable {
    case pdf, image, document, spreadsheet, presentation, audio, video, archive

    /// By its media type, or where that says nothing, by the end of its name.
    func includes(_ attachment: AttachmentName) -> Bool {
        if !mediaPrefix.isEmpty, attachment.type.hasPrefix(mediaPrefix) { return true }
        return endings.contains { attachment.name.hasSuffix(".\($0)") }
    }

    private var mediaPrefix: String {
        switch self {
        case .pdf: "application/pdf"
        case .image: "image/"
        case .audio: "audio/"
        case .video: "video/"
        case .document, .spreadsheet, .presentation, .archive: ""
        }
    }

    private var endings: [String] {
        switch self {
        case .pdf: ["pdf"]
        case .image: ["jpg", "jpeg", "png", "gif", "webp", "heic", "svg", "tif", "tiff", "bmp"]
        case .document: ["doc", "docx", "odt", "rtf", "pages", "txt", "md"]
        case .spreadsheet: ["xls", "xlsx", "ods", "csv", "numbers"]
        case .presentation: ["ppt", "pptx", "odp", "key"]
        case .audio: ["mp3", "m4a", "ogg", "opus", "wav", "flac"]
        case .video: ["mp4", "mov", "mkv", "webm", "avi"]
        case .archive: ["zip", "gz", "tgz", "xz", "bz2", "7z", "rar", "tar", "zst"]
        }
    }
}
