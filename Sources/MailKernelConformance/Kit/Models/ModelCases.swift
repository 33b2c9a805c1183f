import MailKernelAPI

/// What `AIModelProvider` promises. A case that needs a model downloads one of at most 100 MB, if the
/// subject's network lets it.
let modelCases: [ConformanceCase] = downloadCases + inferenceCases
