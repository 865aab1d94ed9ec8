# SPDX-License-Identifier: GPL-2.0-only
"""Throw-away certificates for TLS, made by openssl: authorities, and what they sign."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

CONFIG = "[req]\ndistinguished_name=dn\n[dn]\n"
DAYS = "2"


@dataclass(frozen=True)
class Pair:
    cert: Path
    key: Path


class Authority:
    """Its certificate is `pair.cert`. All files go into the folder, which is made."""

    def __init__(self, folder: Path, name: str):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.pair = self.make(name, "basicConstraints=critical,CA:TRUE")

    def issue(self, name: str, address: str = "") -> Pair:
        """For a server, with its IP address, or for a client without one."""
        extensions = ["basicConstraints=critical,CA:FALSE"]
        extensions += [f"subjectAltName=IP:{address}"] if address else []
        signed = ["-CA", str(self.pair.cert), "-CAkey", str(self.pair.key)]
        return self.make(name, *extensions, signed=signed)

    def make(self, name: str, *extensions: str, signed: list[str] | None = None) -> Pair:
        config = self.folder / "config"
        config.write_text(CONFIG)
        pair = Pair(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        command = ["openssl", "req", "-x509", "-config", str(config), "-days", DAYS, "-nodes"]
        command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={name}"]
        command += [word for extension in extensions for word in ("-addext", extension)]
        command += [*(signed or []), "-keyout", str(pair.key), "-out", str(pair.cert)]
        subprocess.run(command, check=True, capture_output=True)
        return pair
