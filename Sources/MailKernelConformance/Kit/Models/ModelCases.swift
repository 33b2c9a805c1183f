import MailKernelAPI

let modelCases: [ConformanceCase] = []
