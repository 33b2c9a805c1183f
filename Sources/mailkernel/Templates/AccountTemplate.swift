extension PluginTemplate {
    var accountText: String {
        """
        import FoundationEssentials
        import MailKernelAPI

        /// Asks for an address and a password, and cannot sign in yet.
        struct \(name)Provider: AccountProvider {
            let log: PluginLog

            var setups: [AccountSetup] {
                [AccountSetup(id: "account", title: "Add your \(name) account", serviceName: "\(name)")]
            }

            func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
                switch step {
                case .begin:
                    return .form([
                        FormField(name: "address", label: "Address", kind: .email),
                        FormField(name: "password", label: "Password", kind: .password),
                    ])
                case .form, .redirected, .shown:
                    log.info("signing in is not written yet")
                    throw .unsupported("signing in")
                }
            }

            func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
                throw .unsupported("signing in")
            }

            func session(
                for account: Account, secrets: any SecretStore
            ) async throws(AccountError) -> any AccountSession {
                \(name)Session()
            }
        }

        /// An account without any mail.
        actor \(name)Session: AccountSession {
            var features: AccountFeatures { [] }

            func mailboxes() throws(AccountError) -> MailboxListing {
                MailboxListing(mailboxes: [], feeds: [])
            }

            func changes(
                in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
            ) throws(AccountError) -> ChangeBatch {
                throw .notFound
            }

            func fetch(
                _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
            ) throws(AccountError) {
                throw .notFound
            }

            func apply(_ mutations: [RemoteMutation]) throws(AccountError) -> [MutationOutcome] {
                mutations.map { _ in .refused(.notFound) }
            }

            func append(
                _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
                replacing: RemoteAddress?
            ) throws(AccountError) -> AppendOutcome {
                throw .notFound
            }

            func findSent(messageID: String) throws(AccountError) -> Bool {
                false
            }

            func close() {}
        }

        """
    }
}
