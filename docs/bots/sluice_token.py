import json
import os
import time
import urllib.request

SLUICE = os.environ.get("SLUICE_URL", "https://sluice.example")
_token, _ends_at = "", 0.0


def bearer(refused=None) -> str:
    """The Authorization header, with a token that is good for at least a minute more.

    refused: one that the gateway answered with 401; another one is got.
    """
    global _token, _ends_at
    if _ends_at - time.time() < 60 or refused == f"Bearer {_token}":
        credentials = {
            "clientId": os.environ["SLUICE_CLIENT_ID"],
            "clientSecret": os.environ["SLUICE_CLIENT_SECRET"],
        }
        question = urllib.request.Request(
            f"{SLUICE}/auth/token",
            data=json.dumps(credentials).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(question, timeout=30) as answer:
            body = json.load(answer)
        _token, _ends_at = body["token"], time.time() + body["expiresInSeconds"]
    return f"Bearer {_token}"
