"""The metadata are in setup.cfg; this file is for editable installs alone."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from setuptools import setup
from setuptools.command.editable_wheel import editable_wheel

#: Python runs .pth files in alphabetical order: this one after __editable__*, that of setuptools.
PTH = "structured_svm_first.pth"
FINDER_FIRST = (
    "import sys; sys.meta_path.sort(key=lambda finder: not "
    "getattr(finder, '__module__', '').startswith('__editable___structured_svm_'))\n"
)


class EditableWheel(editable_wheel):
    """Make Python look for structsvm where it is installed before it looks into the folders.

    setuptools puts its finder last. In the folder above a clone that is named structsvm, Python
    would then take the clone for the package: an empty one, as there is no __init__.py in it.
    """

    def run(self):
        super().run()
        (wheel,) = Path(self.dist_dir).glob("*.whl")
        with ZipFile(wheel) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        files[PTH] = FINDER_FIRST.encode()
        digest = urlsafe_b64encode(sha256(files[PTH]).digest()).decode().rstrip("=")
        (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
        files[record] += f"{PTH},sha256={digest},{len(files[PTH])}\n".encode()
        with ZipFile(wheel, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)


setup(cmdclass={"editable_wheel": EditableWheel})
