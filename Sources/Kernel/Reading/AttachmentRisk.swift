/// Which attachments can do harm when they are opened.
///
/// By their names, for that is what a desktop goes by, and by their types. It warns: it does not keep anybody
/// from saving a file.
public enum AttachmentRisk {
    public static func isDangerous(name: String?, type: String) -> Bool {
        if types.contains(type) { return true }
        guard let name else { return false }
        // Ends that cannot be seen: Windows drops dots and blanks, and marks of direction turn the name round.
        let scalars = name.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: false
            default: true
            }
        }
        if scalars.count != name.unicodeScalars.count { return true }
        var clean = name.lowercased()[...]
        while let last = clean.last, last == "." || last == " " { clean = clean.dropLast() }
        guard let dot = clean.lastIndex(of: ".") else { return false }
        return endings.contains(String(clean[clean.index(after: dot)...]))
    }

    /// What runs, installs, mounts or carries macros, on any system: mail is passed on.
    private static let endings: Set<String> = [
        "ade", "adp", "apk", "app", "appimage", "appx", "bat", "bin", "chm", "class", "cmd", "com", "command",
        "cpl", "deb", "desktop", "dll", "dmg", "docm", "dotm", "exe", "flatpakref", "gadget", "hta", "htm",
        "html", "img", "inf", "ins", "iso", "jar", "jnlp", "js", "jse", "ksh", "lnk", "mde", "mht", "mhtml",
        "msc", "msi", "msix", "msp", "mst", "one", "osx", "pif", "pkg", "potm", "ppam", "ppsm", "pptm", "ps1",
        "psm1", "py", "rb", "reg", "rpm", "run", "scf", "scr", "sct", "settingcontent-ms", "sh", "shb", "shs",
        "snap", "svg", "sys", "url", "vb", "vbe", "vbs", "vhd", "vhdx", "vxd", "ws", "wsc", "wsf", "wsh",
        "xht", "xhtml", "xlam", "xll", "xlsm", "xltm", "xsl",
    ]

    private static let types: Set<String> = [
        "application/hta", "application/java-archive", "application/javascript",
        "application/vnd.android.package-archive",
        "application/vnd.microsoft.portable-executable", "application/x-desktop", "application/x-dosexec",
        "application/x-executable", "application/x-msdos-program", "application/x-msdownload",
        "application/x-ms-installer", "application/x-ms-shortcut", "application/x-sh",
        "application/x-shellscript", "application/xhtml+xml", "image/svg+xml", "text/html", "text/javascript",
    ]
}
