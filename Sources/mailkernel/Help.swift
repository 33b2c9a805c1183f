/// The texts of `--help`.
enum Help {
    static func text(for command: String?) -> String {
        switch command {
        case "plugins": plugins
        case "connections": connections
        case "vault": vault
        case "lock": lock
        case "storage": storage
        case "doctor": doctor
        case "open": open
        case "import": importing
        case "token": token
        default: overview
        }
    }

    private static let overview = """
        mailkernel: a private mail client that keeps your mail on this computer.

        mailkernel [serve] [options]   start the program
        mailkernel plugins             list the plugins, and why any of them is not loaded
        mailkernel open                open the page of the running program
        mailkernel import FILE         import an mbox file, a Maildir or .eml files
        mailkernel token               give other mail programs access, or revoke it
        mailkernel connections         list all connections: when, which plugin, which server, why
        mailkernel vault               manage the vault for passwords, if there is no desktop
        mailkernel lock                show whether the app lock is on, or turn it off
        mailkernel storage check       look for damage in the store of your mail
        mailkernel doctor              check the installation, and say what to do
        mailkernel help COMMAND        show the options of a command

        Options of serve:
        \(common)
          --port N           the port of the page; by default the last one used, or any free port
          --tls-port N       the same for mail programs that require HTTPS; “none” to turn it off
          --no-browser       do not open the page in a browser
          --vault-key-file FILE  unlock the vault with the first line of this file, or create it
          --demo             start with a demo mailbox, separate from your mail
          --safe-mode        load only the program's own plugins

        --version prints the version.
        """

    private static let common = """
          --plugins DIR      a folder of plugins, instead of all others; may be repeated. By default the
                             program's own and those in $XDG_DATA_HOME/mailkernel-plugins
          --data DIR         where mail is kept; by default $XDG_DATA_HOME/mailkernel
          --config DIR       where settings are kept; by default $XDG_CONFIG_HOME/mailkernel
          --storage ID       the storage plugin to use; by default the program's own
          --setting P.NAME=V a setting of the plugin with the ID P for this start; may be repeated
          --log-level LEVEL  error, warning (default), info or debug
        """

    private static let plugins = """
        mailkernel plugins [--json]          list the plugins: what they are, which servers they may
                                             contact, and why any of them is not loaded
        mailkernel plugins --retry ID        load a plugin again that crashed or was too slow
        mailkernel plugins --disable ID      do not load a plugin any more
        mailkernel plugins --enable ID       load it again
        mailkernel plugins secret ID NAME    save a password or token for a plugin, asked for on the terminal
                                             or taken from the first line of --file FILE
        mailkernel plugins test PATH         test the plugin in this folder against the promises of its
                                             kind; --case NAME for one promise,
                                             --settings FILE for its settings as JSON,
                                             --answers FILE for its sign-in answers as JSON
        mailkernel plugins new --name Weather --kind notification --into DIR
                                             create a plugin of your own

        \(common)
          --safe-mode        load only the program's own plugins
        """

    private static let folders = """
          --data DIR         where mail is kept; by default $XDG_DATA_HOME/mailkernel
          --config DIR       where settings are kept; by default $XDG_CONFIG_HOME/mailkernel
        """

    private static let open = """
        mailkernel open   open the page of the running program with a new link, which works once,
                          within ten minutes

          --no-browser       only print the link
        \(folders)
        """

    private static let importing = """
        mailkernel import FILE_OR_FOLDER ...
                             add mail from an mbox file (of Thunderbird, Google Takeout and others), a
                             Maildir, a folder of .mbox or .eml files, a Thunderbird profile, or an export
                             of this program, all optionally compressed with gzip. Messages that are
                             already there are not added again. An interrupted import continues when you
                             start it again.

                             Files without mail and unreadable messages are skipped and listed. The exit
                             code is 0 if everything was imported, 2 if something was skipped, and 1 if
                             nothing could be read.

          --account ADDRESS  the account on this device to import into, if there are several
          --demo             import into the demo mailbox
        \(common)
        """

    private static let token = """
        mailkernel token create NAME   create a token for another mail program and print it, once;
                                       --read-only for one that cannot change anything, --while-locked for
                                       one that keeps access while the app is locked
        mailkernel token list          list the names of the tokens
        mailkernel token revoke NAME   revoke the access of that program

        \(folders)
        """

    private static let connections = """
        mailkernel connections   list the connections of the last 30 days, newest first: when, which plugin,
                                 which server, how much data, how long, and why

          --days N           only those of the last N days
          --json             one JSON object per line, for scripts
          --demo             those of the demo mailbox
        \(folders)
        """

    private static let lock = """
        mailkernel lock       show whether the app lock is on
        mailkernel lock off   turn it off, with your password; if the system can no longer check it, with a
                              confirmation instead. Stop the program first

        \(common)
        """

    private static let vault = """
        mailkernel vault              show where passwords and tokens are kept: the desktop, or the vault
        mailkernel vault create       create the vault, if there is no desktop to keep them
        mailkernel vault passphrase   change the passphrase of the vault

        \(folders)
        """

    private static let storage = """
        mailkernel storage check            look for damage in the whole store, and list it. Exit code 1 if
                                            there is any
        mailkernel storage rebuild-search   build the search index again
        mailkernel storage move --to ID     move your mail to the store of the plugin ID, compare both, and
                                            use that one from then on. Run it again if it was interrupted
        mailkernel storage delete --old ID  delete the store of the plugin ID, which is not in use

        The first two work while mailkernel is running, and can take minutes. Stop it for the others.

        \(common)
          --demo             the store of the demo mailbox
          --vault-key-file FILE  for “move” and “delete”: unlock the vault with the first line of this file
        """

    private static let doctor = """
        mailkernel doctor   check the libraries, folders, free space, secret store and plugins, and say
                            what to do about each problem. Exit code 1 if something is broken.

        \(common)
        """
}
