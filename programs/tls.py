# SPDX-License-Identifier: GPL-2.0-only
"""TLS of a connection, with the options that the client program mariadb has for it.

PyMySQL's own options are not enough: that of Debian 12 goes on without TLS where a server has none,
and with a file of certificates alone it checks nothing.
"""

import os
import ssl

import pymysql
import pymysql.connections
from pymysql.constants import CLIENT, CR


class BadFiles(Exception):
    """One sentence: which file is not what its option says."""


def context(
    ca: str | None, capath: str | None, cert: str | None, key: str | None, check_name: bool
) -> ssl.SSLContext:
    """The server's certificate is checked when there is something to check it with, and its name
    only when that is asked for; then Debian's certificates do where no others are given. A `cert`
    may have its `key` in the same file, as the client program takes them."""
    made = with_certificates(ca, capath)
    made.check_hostname = check_name
    made.verify_mode = ssl.CERT_REQUIRED if ca or capath or check_name else ssl.CERT_NONE
    if cert or key:
        try:
            made.load_cert_chain(cert or key, key or cert)
        except OSError as error:
            raise BadFiles(pair_text(cert or key, key or cert, error)) from error
    return made


def with_certificates(ca: str | None, capath: str | None) -> ssl.SSLContext:
    """OpenSSL reads a folder when it needs one of its files, and says nothing when it is none."""
    if capath and not os.path.isdir(capath):
        raise BadFiles(f"there is no folder {capath} with certificates")
    try:
        return ssl.create_default_context(cafile=ca, capath=capath)
    except OSError as error:
        raise BadFiles(f"no certificates are in {ca}: {error.strerror or error}") from error


def pair_text(cert: str, key: str, error: OSError) -> str:
    for file in (cert, key):
        try:
            open(file).close()
        except OSError as problem:
            return f"{file} cannot be read: {problem.strerror}"
    if getattr(error, "reason", "") == "KEY_VALUES_MISMATCH":
        return f"the key in {key} is not that of the certificate in {cert}"
    return f"no certificate with its key is in {cert} and {key}: {error.strerror or error}"


class Secured(pymysql.connections.Connection):
    """`ssl` is a context. Gives up before it has sent a name or a password where the server has no
    TLS, and says in one sentence why a certificate is refused: CR_SSL_CONNECTION_ERROR."""

    def _get_server_information(self):
        super()._get_server_information()
        if not self.server_capabilities & CLIENT.SSL:
            raise pymysql.OperationalError(
                CR.CR_SSL_CONNECTION_ERROR, "TLS is wanted, and the server has none"
            )

    def connect(self, sock=None):
        try:
            super().connect(sock)
        except pymysql.OperationalError as error:
            cause = getattr(error, "original_exception", None) or error.__context__
            if not isinstance(cause, ssl.SSLError):
                raise
            raise pymysql.OperationalError(CR.CR_SSL_CONNECTION_ERROR, why(cause)) from error


def why(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is refused: {error.verify_message.rstrip('.')}"
    words = (error.reason or str(error)).replace("_", " ").lower()
    return f"no TLS with the server: {words}"
