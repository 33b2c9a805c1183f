"""An OAuth 2.0 server in the shape of Google's, on Authlib: codes with PKCE (S256 alone), refreshing,
introspection, revocation, and loopback redirects to any port. It also describes itself (RFC 8414), registers
clients (RFC 7591) and issues codes for other devices (RFC 8628).

Each test makes a client of its own (`POST /_test/client`), and what it changes holds for that client alone.
"""

import os
import secrets
import threading
import time
import warnings
from urllib.parse import urlsplit

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # a redirect to loopback is not encrypted
warnings.filterwarnings("ignore")

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, InvalidGrantError, TokenMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import Flask, Response, jsonify, request

# Any of these opens the mailbox: Google's, Microsoft's, and that of draft-ietf-mailmaint-oauth-public.
MAIL = "urn:ietf:params:oauth:scope:mail"
SCOPES = {"https://mail.google.com/", "https://outlook.office.com/IMAP.AccessAsUser.All",
          "https://graph.microsoft.com/Mail.ReadWrite", MAIL}
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
WAYS = ["client_secret_post", "client_secret_basic", "none"]


class Client(ClientMixin):
    def __init__(self):
        self.id = f"{secrets.token_hex(8)}.apps.example.test"
        self.secret = "GOCSPX-" + secrets.token_urlsafe(18)
        # How many seconds access tokens live; what to do and to answer instead of what is right.
        self.policy = {"expires_in": 3599, "scope": None, "refresh": True, "answers": []}
        self.requests = []

    def get_client_id(self):
        return self.id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, uri):
        place = urlsplit(uri)
        return place.scheme == "http" and place.hostname in ("127.0.0.1", "::1", "localhost")

    def check_client_secret(self, secret):
        return secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method in WAYS

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, kind):
        return kind in ("authorization_code", "refresh_token")


class User:
    def __init__(self, email):
        self.email = email

    def get_user_id(self):
        return self.email


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class Token(TokenMixin):
    def __init__(self, **values):
        self.revoked = False
        self.issued = time.time()
        self.__dict__.update(values)

    def check_client(self, client):
        return client.get_client_id() == self.client_id

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return self.expires_in

    def is_expired(self):
        return time.time() >= self.issued + self.expires_in

    def is_revoked(self):
        return self.revoked

    @property
    def is_good(self):
        return not self.revoked and not self.is_expired()


clients, codes, tokens, lock = {}, {}, [], threading.Lock()
# By the code that the user enters: the client, and what the user said.
devices = {}


def save_token(token, asked):
    policy = asked.client.policy
    token["expires_in"] = policy["expires_in"]
    if policy["scope"] is not None:
        token["scope"] = policy["scope"]
    if not policy["refresh"]:
        token.pop("refresh_token", None)
    with lock:
        tokens.append(Token(
            access=token["access_token"], refresh=token.get("refresh_token"), user=asked.user.email,
            scope=token.get("scope", ""), client_id=asked.client.id, expires_in=token["expires_in"]))


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = WAYS

    def save_authorization_code(self, code, asked):
        data = asked.payload.data
        codes[code] = Code(
            code=code, client_id=asked.client.id, redirect_uri=asked.payload.redirect_uri,
            scope=asked.payload.scope, user=asked.user.email, at=time.time(),
            code_challenge=data.get("code_challenge"), code_challenge_method=data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.id and time.time() - found.at < 600 else None

    def delete_authorization_code(self, code):
        codes.pop(code.code, None)

    def authenticate_user(self, code):
        return User(code.user)


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = WAYS
    INCLUDE_NEW_REFRESH_TOKEN = False  # Google's stays as it is

    def authenticate_refresh_token(self, text):
        for token in tokens:
            if token.refresh == text and not token.revoked:
                return token
        raise InvalidGrantError("Token has been expired or revoked.")

    def authenticate_user(self, token):
        return User(token.user)

    def revoke_old_credential(self, token):
        pass


app = Flask("oauth")
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
# As long as Google's.
app.config["OAUTH2_ACCESS_TOKEN_GENERATOR"] = lambda **_: "ya29." + secrets.token_urlsafe(120)
server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(Refresh)


def user_of(token):
    """Whose access token that is; None if it is not good."""
    found = next((known for known in tokens if known.access == token and known.is_good), None)
    return found.user if found and SCOPES & set(found.scope.split()) else None


@app.route("/o/oauth2/v2/auth", methods=["GET", "POST"])
def auth():
    if request.args.get("code_challenge_method") != "S256":
        return "invalid_request: S256 alone", 400
    # As Google asks for it, and as Microsoft does.
    if request.args.get("access_type") != "offline" and "offline_access" not in request.args.get("scope", "").split():
        return "no refresh token was asked for", 400
    try:
        grant = server.get_consent_grant(end_user=None)
    except OAuth2Error as error:
        return jsonify(dict(error.get_body())), 400
    if request.method == "GET":
        page = """<!doctype html><title>Sign in</title><form method=post><p>%s wants: %s</p>
            <input name=email value="%s"><button name=act value=allow>Allow</button>
            <button name=act value=deny>Cancel</button></form>"""
        return page % (
            request.args.get("client_id"), request.args.get("scope"), request.args.get("login_hint", ""))
    user = User(request.form["email"]) if request.form.get("act") == "allow" else None
    return server.create_authorization_response(grant_user=user, grant=grant)


@app.post("/token")
def token():
    client = clients.get(request.form.get("client_id"))
    if client:
        client.requests.append(request.form.get("grant_type"))
        if client.policy["answers"]:
            answer = client.policy["answers"].pop(0)
            if answer is not None:
                body = answer.get("body", "").replace("{refresh_token}", request.form.get("refresh_token", ""))
                return Response(body * answer.get("times", 1), answer.get("status", 200))
    if client and request.form.get("grant_type") == DEVICE:
        return device_token(client)
    return server.create_token_response()


def device_token(client):
    found = next((one for one in devices.values() if one["device_code"] == request.form.get("device_code")), None)
    if not found or found["client"] is not client:
        return jsonify(error="invalid_grant"), 400
    if found["act"] != "allow":
        return jsonify(error="access_denied" if found["act"] else "authorization_pending"), 400
    token = {
        "access_token": "ya29." + secrets.token_urlsafe(120), "refresh_token": secrets.token_urlsafe(30),
        "token_type": "Bearer", "expires_in": client.policy["expires_in"], "scope": found["scope"]}
    with lock:
        tokens.append(Token(
            access=token["access_token"], refresh=token["refresh_token"], user=found["email"],
            scope=token["scope"], client_id=client.id, expires_in=token["expires_in"]))
    return jsonify(token)


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    here = request.host_url.rstrip("/")
    return jsonify(
        issuer=here, authorization_endpoint=here + "/o/oauth2/v2/auth", token_endpoint=here + "/token",
        registration_endpoint=here + "/register", revocation_endpoint=here + "/revoke",
        device_authorization_endpoint=here + "/device", response_types_supported=["code"],
        code_challenge_methods_supported=["S256"], scopes_supported=[MAIL, "offline_access"])


@app.post("/register")
def register():
    asked = request.get_json()
    if asked["token_endpoint_auth_method"] != "none" or not asked["redirect_uris"]:
        return jsonify(error="invalid_client_metadata"), 400
    client = Client()
    clients[client.id] = client
    return jsonify(client_id=client.id, redirect_uris=asked["redirect_uris"]), 201


@app.post("/device")
def device():
    client = clients.get(request.form.get("client_id"))
    if not client:
        return jsonify(error="invalid_client"), 401
    code = secrets.token_hex(4).upper()
    devices[code] = {
        "client": client, "device_code": secrets.token_urlsafe(30), "scope": request.form["scope"], "act": None}
    page = request.host_url + "go"
    return jsonify(
        device_code=devices[code]["device_code"], user_code=code, verification_uri=page,
        verification_uri_complete=f"{page}?code={code}", expires_in=600, interval=1)


@app.post("/go")
def go():
    devices[request.args["code"]].update(act=request.form["act"], email=request.form["email"])
    return Response(status=302, headers={"Location": request.host_url + "done?state=done"})


@app.post("/introspect")
def introspect():
    """For Dovecot."""
    user = user_of(request.form.get("token"))
    return jsonify({"active": True, "username": user} if user else {"active": False})


@app.post("/revoke")
def revoke():
    found = next((known for known in tokens if request.form.get("token") in (known.access, known.refresh)), None)
    if not found:
        return jsonify(error="invalid_token"), 400
    for known in tokens:
        if (known.user, known.client_id) == (found.user, found.client_id):
            known.revoked = True
    return jsonify({})


@app.post("/_test/client")
def new_client():
    client = Client()
    clients[client.id] = client
    return jsonify(id=client.id, secret=client.secret)


@app.post("/_test/policy/<name>")
def policy(name):
    clients[name].policy.update(request.get_json())
    return jsonify({})


@app.post("/_test/revoke/<name>")
def revoke_all(name):
    for known in tokens:
        known.revoked = known.revoked or known.client_id == name
    return jsonify({})


@app.post("/_test/expire/<name>")
def expire_all(name):
    """Access tokens end before their time."""
    for known in tokens:
        if known.client_id == name:
            known.expires_in = -1
    return jsonify({})


@app.get("/_test/seen/<name>")
def seen(name):
    """What the client asked for at the token endpoint, and what it was given."""
    given = [known for known in tokens if known.client_id == name]
    return jsonify(
        requests=clients[name].requests, good=sum(known.is_good for known in given),
        tokens=sorted({text for known in given for text in (known.access, known.refresh) if text}))
