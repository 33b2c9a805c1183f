"""Makes certificates for tests: certificates.py FOLDER.

ca.pem is to be trusted. NAME.pem and NAME.key: good (localhost, 127.0.0.1, ::1 and names below mail.test),
expired, elsewhere (for another name), stranger (from another authority), self (signed by itself).
"""

import datetime
import sys
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

folder = Path(sys.argv[1])
names = ["localhost", "127.0.0.1", "127.0.0.2", "::1", "mail.test", "*.mail.test"]


def write(name, certificate):
    certificate.private_key_pem.write_to_path(folder / f"{name}.key")
    (folder / f"{name}.pem").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))


authority = trustme.CA()
authority.cert_pem.write_to_path(folder / "ca.pem")
write("good", authority.issue_cert(*names))
write("elsewhere", authority.issue_cert("elsewhere.test"))
write("expired", authority.issue_cert(*names, not_after=datetime.datetime(2020, 1, 1)))
write("stranger", trustme.CA().issue_cert(*names))

key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
now = datetime.datetime.now(datetime.timezone.utc)
own = (
    x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    .serial_number(x509.random_serial_number())
    .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
    .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    .sign(key, hashes.SHA256()))
(folder / "self.pem").write_bytes(own.public_bytes(serialization.Encoding.PEM))
(folder / "self.key").write_bytes(key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
# nginx may run as another user.
for file in folder.iterdir():
    file.chmod(0o644)
