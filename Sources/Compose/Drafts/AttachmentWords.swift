import MessageFormat

/// Recognizes text that says that a file is attached.
enum AttachmentWords {
    /// So much of a text is looked at.
    private static let longest = 100_000

    /// The first word in what the user wrote, without quotes and signature, that names an attachment.
    static func first(in text: String) -> String? {
        let written = WrittenText.of(text: String(text.prefix(longest)))
        let words = written.split { $0.isWhitespace }.filter { !$0.contains("://") }.joined(separator: " ")
        let lower = words.lowercased()
        if let sign = signs.first(where: { lower.contains($0) }) { return sign }
        let plain =
            " " + String(lower.map { $0.isLetter ? $0 : " " }).split(separator: " ").joined(separator: " ")
            + " "
        return phrases.first { plain.contains(" \($0) ") }
    }

    /// In languages that put no spaces between words.
    private static let signs = ["添付", "附件", "附上", "첨부"]

    private static let phrases = [
        // English
        "attached", "attachment", "attachments", "attaching", "enclosed", "i attach",
        // German
        "anbei", "anhang", "angehängt", "angehängte", "angehängten", "beigefügt", "beigefügte", "beigefügten",
        "anliegend",
        "im anhang",
        // French
        "ci joint", "ci jointe", "ci joints", "ci jointes", "pièce jointe", "pièces jointes", "en annexe",
        // Spanish and Portuguese
        "adjunto", "adjunta", "adjuntos", "adjuntas", "adjuntado", "anexo", "anexos", "em anexo", "anexado",
        "anexada",
        // Italian
        "allegato", "allegata", "allegati", "allegate", "allego",
        // Dutch
        "bijlage", "bijlagen", "bijgevoegd", "bijgevoegde", "bijgaand",
        // Swedish, Danish, Norwegian, Finnish
        "bifogad", "bifogat", "bifogade", "bifogar", "bilaga", "vedhæftet", "vedhæftede", "vedhæfter",
        "vedlagt", "vedlegg",
        "liitteenä", "oheisena",
        // Polish, Czech, Hungarian, Turkish
        "załączam", "załączniku", "załącznik", "w załączeniu", "příloze", "přílohu", "přikládám",
        "mellékelten", "csatolva",
        "csatoltan", "ekte", "ekteki",
        // Russian, Ukrainian
        "во вложении", "вложении", "прикрепил", "прикрепила", "прикреплен", "прикреплён", "прилагаю",
        "в приложении",
        "у вкладенні", "вкладенні",
    ]
}
