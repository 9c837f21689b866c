import json
import os
import time
import urllib.request

SLUICE = os.environ.get("SLUICE_URL", "https://sluice.example")
_token, _ends_at = "", 0.0


def bearer(rejected=None) -> str:
    """The Authorization header, with a token that is valid for at least another minute.

    rejected: a header that the gateway rejected with 401; its token is replaced.
    """
    global _token, _ends_at
    if _ends_at - time.time() < 60 or rejected == f"Bearer {_token}":
        credentials = {
            "clientId": os.environ["SLUICE_CLIENT_ID"],
            "clientSecret": os.environ["SLUICE_CLIENT_SECRET"],
        }
        request = urllib.request.Request(
            f"{SLUICE}/auth/token",
            data=json.dumps(credentials).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            body = json.load(response)
        _token, _ends_at = body["token"], time.time() + body["expiresInSeconds"]
    return f"Bearer {_token}"
