/// What `--help` prints.
enum Help {
    static func text(for command: String?) -> String {
        switch command {
        case "plugins": plugins
        case "connections": connections
        case "vault": vault
        case "lock": lock
        case "doctor": doctor
        case "open": open
        case "import": importing
        case "token": token
        default: overview
        }
    }

    private static let overview = """
        mailkernel: a private mail client that runs on this computer alone.

        mailkernel [serve] [options]   start it
        mailkernel plugins             list the plugins, and why any is not loaded
        mailkernel open                open the page of the running program
        mailkernel import FILE         bring in mail from an mbox file, a Maildir or .eml files
        mailkernel token               let other mail programs in, or no longer
        mailkernel connections         list the connections that were made: who, with whom, why
        mailkernel vault               the passphrase of the vault, where no desktop keeps secrets
        mailkernel lock                say whether the app lock is on; turn it off if nothing else does
        mailkernel doctor              check the installation, and say what to do
        mailkernel help COMMAND        the options of a command

        Options of serve:
        \(common)
          --storage ID       which storage plugin to use, if there are several
          --port N           the port of the page on this computer; that of the last time by default,
                             or any free one
          --tls-port N       the same for mail programs that need https; “none” for no such port
          --no-browser       do not open the page in a browser
          --vault-key-file FILE  its first line opens the vault, or makes it
          --demo             look around with a demo mailbox, kept apart from your own mail
          --safe-mode        load the program's own plugins only

        --version prints the version.
        """

    private static let common = """
          --plugins DIR      a folder of plugins, instead of all others; may be repeated. By default the
                             program's own and those in $XDG_DATA_HOME/mailkernel-plugins
          --data DIR         where mail is kept. By default $XDG_DATA_HOME/mailkernel
          --config DIR       where settings are kept. By default $XDG_CONFIG_HOME/mailkernel
          --setting P.NAME=V a setting of the plugin with the ID P for this start; may be repeated
          --log-level LEVEL  error, warning (default), info or debug
        """

    private static let plugins = """
        mailkernel plugins [--json]          list the plugins: what they are, what they may contact,
                                             and why any is not loaded
        mailkernel plugins --retry ID        try a plugin again that crashed
        mailkernel plugins --disable ID      do not load a plugin from now on
        mailkernel plugins --enable ID       load it again
        mailkernel plugins test PATH         try whether the plugin in this folder keeps what its kind
                                             promises; --case NAME for one promise,
                                             --settings FILE for its settings as JSON,
                                             --answers FILE for what to answer when it signs in
        mailkernel plugins new --name Weather --kind notification --into DIR
                                             begin a plugin of your own

        \(common)
          --safe-mode        load the program's own plugins only
        """

    private static let folders = """
          --data DIR         where mail is kept. By default $XDG_DATA_HOME/mailkernel
          --config DIR       where settings are kept. By default $XDG_CONFIG_HOME/mailkernel
        """

    private static let open = """
        mailkernel open   open the page of the running program with a new link, which is good once
                          and for ten minutes

          --no-browser       only print the link
        \(folders)
        """

    private static let importing = """
        mailkernel import FILE_OR_FOLDER ...
                             bring in mail: an mbox file (of Thunderbird, Google Takeout and others), a
                             Maildir, a folder of .mbox or .eml files, a Thunderbird profile, or an export
                             by this program, each also compressed with gzip. Mail that is already there
                             is not added again: start an interrupted import again, and it goes on.

                             Files that hold no mail, and messages that cannot be read, are skipped and
                             named. Exit code 0 if everything was read, 2 if something was skipped, 1 if
                             nothing could be read.

          --account ADDRESS  the account on this device that it goes to, if there are several
          --demo             the demo mailbox is meant
          --storage ID       which storage plugin to use, if there are several
        \(common)
        """

    private static let token = """
        mailkernel token create NAME   make a token for another mail program and print it, this once;
                                       --read-only for one that may not change anything, --while-locked for
                                       one that is let in while the app lock keeps others out
        mailkernel token list          the names of the tokens
        mailkernel token revoke NAME   let that program in no longer

        \(folders)
        """

    private static let connections = """
        mailkernel connections   list the connections of the last 30 days, newest first: when, which plugin,
                                 with whom, how much, how long and why

          --days N           only those of the last N days
          --json             one JSON object a line, for programs
          --demo             those of the demo mailbox
        \(folders)
        """

    private static let lock = """
        mailkernel lock       say whether the app lock is on
        mailkernel lock off   turn it off, with your password; where the system cannot be asked for it any
                              more, it is enough to confirm. The program must not be running

        \(common)
          --storage ID       which storage plugin to use, if there are several
        """

    private static let vault = """
        mailkernel vault              say what keeps passwords and tokens: the desktop, or the vault
        mailkernel vault create       make the vault, where no desktop keeps them
        mailkernel vault passphrase   give the vault another passphrase

        \(folders)
        """

    private static let doctor = """
        mailkernel doctor   check the libraries, folders, free space, secret store and plugins, and say
                            what to do about each finding. Exit code 1 if something is broken.

        \(common)
        """
}
