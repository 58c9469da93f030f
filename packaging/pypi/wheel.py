"""Writes one wheel: wheel.py BINARY OUT PLATFORM VERSION DESCRIPTION LICENCE. `build` calls it."""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

LICENCES = ["LICENSE", "THIRD-PARTY-LICENSES.txt"]


def tag(platform, program):
    """The oldest systems that the program runs on, as pip names them."""
    system, machine = platform.split("-")
    machine = {"x64": "x86_64", "arm64": "aarch64" if system == "linux" else "arm64"}[machine]
    if system == "darwin":
        # The oldest macOS that rustc builds for, unless it is told another.
        return f"macosx_{'11_0' if machine == 'arm64' else '10_12'}_{machine}"
    # The newest version of glibc of which it takes a symbol; a static program takes none and runs everywhere.
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", program)]
    if needed:
        return f"manylinux_2_{max(needed)}_{machine}"
    return f"manylinux_2_17_{machine}.musllinux_1_1_{machine}"


def main():
    binary, out, platform, version, description, licence = sys.argv[1:]
    program = pathlib.Path(binary).read_bytes()
    tags = tag(platform, program)
    name, info = f"debate_agent-{version}", f"debate_agent-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        "Name: debate-agent",
        f"Version: {version}",
        f"Summary: {description}",
        f"License-Expression: {licence}",
        *(f"License-File: {file}" for file in LICENCES),
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        "",
        pathlib.Path("README.md").read_text(encoding="utf-8"),
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: debate-agent packaging", "Root-Is-Purelib: false"]
    wheel += [f"Tag: py3-none-{each}" for each in tags.split(".")]
    files = {f"{name}.data/scripts/debate-agent": program}
    files |= {f"{info}/licenses/{file}": pathlib.Path(file).read_bytes() for file in LICENCES}
    files[f"{info}/METADATA"] = "\n".join(metadata).encode()
    files[f"{info}/WHEEL"] = ("\n".join(wheel) + "\n").encode()
    record = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = ("".join(record) + f"{info}/RECORD,,\n").encode()

    target = pathlib.Path(out) / f"{name}-py3-none-{tags}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            # Without a time, the same program makes the same wheel.
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, content)
    print(target)


main()
