import MessageFormat

/// The risk of opening an attachment.
///
/// Judged by its name, which desktops use, its type, and its first bytes if they are available. It is a
/// warning only: the user can still save the file.
package struct AttachmentRisk: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case program, script, installer, shortcut, disk, macros, page, settings, packed, archive
    }

    package var kind: Kind?
    /// The name shows another ending than the file has.
    package var hidesEnding = false

    package init(kind: Kind?, hidesEnding: Bool = false) {
        self.kind = kind
        self.hidesEnding = hidesEnding
    }

    /// - Parameter sample: empty if the file's bytes are not available.
    /// - Returns: nil if no risk is known.
    package static func judge(
        name: String?, type: String, sample: FileSample = FileSample()
    ) -> AttachmentRisk? {
        let named = name.map(EndingOfFile.init)
        let isNamed = named.map { !compressed.isDisjoint(with: $0.candidates) } ?? false
        // The name of a compressed file says what is in it: `report.xml.gz`.
        let isByName = isNamed && (sample.head.isEmpty || ExecutableBytes.isCompressed(sample.head))
        let found = [
            isByName ? name.flatMap(kindInside) : ExecutableBytes.kind(of: sample),
            named?.candidates.compactMap { kinds[$0] }.first,
            name.flatMap { wholeNames[$0.lowercased()] },
            types[type.lowercased()], type.lowercased().contains("macroenabled") ? .macros : nil,
        ]
        let risk = AttachmentRisk(
            kind: found.compactMap(\.self).first, hidesEnding: named?.isHidden ?? false)
        return risk.kind != nil || named?.isReordered ?? false ? risk : nil
    }

    /// The risk of what is in a compressed file.
    private static func kindInside(_ name: String) -> Kind? {
        guard let dot = name.lastIndex(of: "."),
            let inner = EndingOfFile(String(name[..<dot])).candidates.first,
            inner != "tar"
        else { return .archive }
        return kinds[inner].map { $0 == .page ? $0 : .packed }
    }

    /// What it is and what it can do, as an ASCII sentence.
    package var sentence: String {
        let what =
            switch kind {
            case .program: "This is a program. Opening it runs it on your computer."
            case .script: "This is a script. Opening it can run commands on your computer."
            case .installer: "This installs software on your computer when it is opened."
            case .shortcut: "This is a shortcut. Opening it can start any program on your computer."
            case .disk: "This is a disk image. It can hold programs that are not checked before they run."
            case .macros: "This document can hold macros, which are programs that run when it is opened."
            case .page: "This is a web page. It can imitate a sign-in page, and run scripts in your browser."
            case .settings: "This changes settings of your computer when it is opened."
            case .packed:
                "This archive contains programs, scripts or shortcuts. Opening those can run commands on your computer."
            case .archive: "This archive can contain programs. mailkernel cannot look into it."
            case nil: "Its name does not show what kind of file it is."
            }
        return hidesEnding ? "The name of this file hides what it is. \(what)" : what
    }

    private static let types: [String: Kind] = Dictionary(
        [
            (Kind.program, "application/vnd.microsoft.portable-executable application/x-dosexec"),
            (.program, "application/x-executable application/x-elf application/x-sharedlib"),
            (.program, "application/x-mach-binary application/x-pie-executable application/x-msdos-program"),
            (
                .program,
                "application/x-msdownload application/java-archive application/java-vm application/hta"
            ),
            (.script, "application/javascript text/javascript application/x-javascript application/x-sh"),
            (
                .script,
                "application/x-shellscript text/x-shellscript text/x-python text/x-perl application/x-csh"
            ),
            (.script, "application/x-perl application/x-php application/x-httpd-php text/x-php text/x-lua"),
            (
                .installer,
                "application/vnd.android.package-archive application/x-ms-installer application/x-rpm"
            ),
            (
                .installer,
                "application/vnd.debian.binary-package application/x-debian-package application/x-msi"
            ),
            (.installer, "application/x-xpinstall application/vnd.flatpak.ref"),
            (.shortcut, "application/x-desktop application/x-ms-shortcut application/x-mswinurl"),
            (.disk, "application/x-iso9660-image application/x-apple-diskimage application/x-cd-image"),
            (.page, "text/html application/xhtml+xml image/svg+xml"),
        ].flatMap { kind, names in names.split(separator: " ").map { (String($0), kind) } },
        uniquingKeysWith: { first, _ in first })

    /// Endings of what runs, installs, mounts or carries macros, on any system: mail is passed on.
    private static let kinds: [String: Kind] = Dictionary(
        [
            (
                Kind.program,
                "exe com scr pif cpl dll sys drv ocx so elf bin run app appimage out class jar jnlp"
            ),
            (.program, "command osx action workflow gadget msc hta chm hlp xll wll vxd efi ipa"),
            (.program, "application air swf xbap dylib bundle xap war ear wasm ppkg"),
            (
                .script,
                "bat cmd btm tool sh bash zsh fish csh ksh tcsh dash ash mksh nu xsh elv osh ysh rc pl pm cgi php phtml php3 php4 php5 phar"
            ),
            (
                .script,
                "py pyc pyo pyw pyz pyzw rb lua tcl awk sed js jse mjs cjs vb vbe vbs ws wsc wsf wsh sct"
            ),
            (.script, "ps1 ps1xml ps2 psc1 psc2 psm1 psd1 psrc pssc cdxml shb shs scpt applescript ahk au3"),
            (
                .script,
                "perl al tk wsgi love ps eps ebuild r jl groovy gvy kts exs exp expect qml raku p6 rkt nse gdb"
            ),
            (
                .script,
                "bashrc bash_profile bash_login bash_logout bash_aliases profile envrc zshrc zshenv zprofile"
            ),
            (.script, "zlogin kshrc cshrc tcshrc login xinitrc xsession xprofile xsessionrc vimrc mk"),
            (
                .script,
                "bas plg psdm1 vbp vsmacros vsw csx fsx asp aspx jsp msh msh1 msh2 mshxml msh1xml msh2xml fxp prg"
            ),
            (
                .installer,
                "msi msix msixbundle msp mst msu appx appxbundle appinstaller deb udeb rpm snap flatpak"
            ),
            (
                .installer,
                "flatpakref flatpakrepo pkg mpkg apk aab gem egg plasmoid kwinscript xapk xpi crx oxt vsix whl osd webpnp"
            ),
            (
                .shortcut,
                "lnk url desktop directory webloc scf kdelnk terminal library-ms search-ms appref-ms website inetloc fileloc"
            ),
            (
                .shortcut,
                "afploc atloc ftploc mailloc newsloc vncloc udl grp xnk remmina"
            ),
            (.shortcut, "settingcontent-ms rdp glk searchconnector-ms diagcab themepack"),
            (.shortcut, "appcontent-ms printerexport diagpkg diagcfg theme deskthemepack"),
            (.disk, "wim esd ova ovf vfd nrg"),
            (.disk, "iso img dmg vhd vhdx vmdk vdi qcow2 udf toast sparseimage squashfs sfs"),
            (
                .macros,
                "docm dotm xlsm xltm xlam xlsb pptm potm ppam ppsm sldm vsdm vssm vstm ade adp accda accdb accde accdr accdt accdu mdb mde mda maf"
            ),
            (
                .macros,
                "mad mag mam maq mar mas mat mau mav mcf maw mdt mdw mdz one onepkg odm slk iqy oqy rqy dqy wiz xla xlm ppa"
            ),
            (.page, "htm html shtml shtm xht xhtml mht mhtml svg svgz xsl xslt hxs htc maff webarchive"),
            (.settings, "reg inf ins isp mobileconfig ovpn nmconnection"),
            // Units of systemd.
            (.settings, "service socket timer path mount automount swap target slice scope device"),
            (.settings, "plist crontab ops prf"),
            (.archive, "tar tgz tbz tbz2 txz tzst 7z rar cab arj lzh lha ace cpio"),
        ].flatMap { kind, names in names.split(separator: " ").map { (String($0), kind) } },
        uniquingKeysWith: { first, _ in first })

    /// Files that programs run by their whole name.
    private static let wholeNames: [String: Kind] = Dictionary(
        ["makefile", "gnumakefile", "justfile", "rakefile", "vagrantfile", "dockerfile"].map {
            ($0, .script)
        },
        uniquingKeysWith: { first, _ in first })

    private static let compressed: Set<String> = ["gz", "bz2", "xz", "zst", "lzma", "lz", "z"]
}
