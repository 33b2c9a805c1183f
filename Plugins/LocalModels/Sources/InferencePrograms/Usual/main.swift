import Inference

Inference.main()
