#!/usr/bin/env python3
"""Builds the wheel of the Python package `weirdb` with libweir.so in it, by the standard library alone: `packaging/wheel.py LIBRARY OUT-FOLDER`.

The package is ctypes over the library, so that one wheel serves every CPython from 3.9 on. Its tag says the machine and the oldest glibc whose
symbols the library asks for. Prints the wheel's path."""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, "bindings", "python")
# What a library may need of the system to be called manylinux, as far as this one does.
SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
# The time that stands in the archive: the same sources make the same wheel.
MOMENT = (1980, 1, 1, 0, 0, 0)


def tag(library):
    text = subprocess.run(["objdump", "-p", library], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED\s+(\S+)", text))
    glibc = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", text))
    machine = platform.machine()
    if needed - SYSTEM:
        return f"py3-none-linux_{machine}"
    return f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"


def stripped(library):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "libweir.so")
        subprocess.run(["strip", "--strip-unneeded", "-o", out, library], check=True)
        with open(out, "rb") as file:
            return file.read()


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}"]
    for extra, wanted in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {w}; extra == '{extra}'" for w in wanted]
    return "\n".join(lines) + "\n"


def entry_points(project):
    groups = project.get("entry-points", {})
    return "".join(f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in points.items()) for group, points in groups.items())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    library, out = sys.argv[1:]
    with open(os.path.join(PACKAGE, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    name, of_tag = f"{project['name']}-{project['version']}", tag(library)
    info = f"{name}.dist-info"
    files = {}
    for module in sorted(os.listdir(os.path.join(PACKAGE, "weirdb"))):
        if module.endswith(".py"):
            with open(os.path.join(PACKAGE, "weirdb", module), "rb") as file:
                files[f"weirdb/{module}"] = file.read()
    files["weirdb/libweir.so"] = stripped(library)
    files[f"{info}/METADATA"] = metadata(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: weir\nRoot-Is-Purelib: false\nTag: {of_tag}\n".encode()
    files[f"{info}/entry_points.txt"] = entry_points(project).encode()
    for text in ("LICENSE", "NOTICE"):
        with open(os.path.join(ROOT, text), "rb") as file:
            files[f"{info}/{text}"] = file.read()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(out, exist_ok=True)
    wheel = os.path.join(out, f"{name}-{of_tag}.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
