import MailKernelAPI

/// What every store promises.
let storageCases: [ConformanceCase] = [
    storageOpeningCases, storageCommitCases, storageChangesCases, storageMailboxCases, storageEmailCases,
    storageThreadCases, storageFilterCases, storageSearchCases, storageQueryCases, storageRecordCases,
    storageContactCases, storageBlobCases, storageCareCases, storageSharingCases, storageModelCases,
].flatMap(\.self)
