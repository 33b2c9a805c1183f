import MailKernelAPI

let storageCases: [ConformanceCase] = []
