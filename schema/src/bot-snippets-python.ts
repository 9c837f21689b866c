import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'
import { pythonCcxt, pythonCcxtBase } from './bot-snippets-ccxt.ts'

/** For Python 3.9 and later. */
export function pythonSnippets({ gatewayUrl }: SnippetOptions): readonly BotSnippet[] {
  return [
    {
      id: 'python-token',
      language: 'python',
      exchange: null,
      title: 'Get a token, and a new one before it ends',
      file: 'sluice_token.py',
      code: `import json
import os
import time
import urllib.request

SLUICE = "${gatewayUrl}"
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
    return f"Bearer {_token}"`,
    },
    pythonCcxtBase(),
    {
      id: 'mx-python-requests',
      language: 'python',
      exchange: 'mx',
      title: 'requests',
      file: 'mexc_requests.py',
      code: `import uuid

import requests

from sluice_token import SLUICE, bearer


def call(method, path, params=None, headers=None, refused=None):
    authorization = bearer(refused)
    parts = {"params": params, "headers": {**(headers or {}), "Authorization": authorization}}
    # An order may wait up to 180 s for its turn.
    answer = requests.request(method, f"{SLUICE}/mx{path}", **parts, timeout=200)
    # Refused before its time: once more with a new one, all else the same.
    if answer.status_code == 401 and refused is None:
        return call(method, path, params, headers, authorization)
    return answer.json()


print(call("GET", "/api/v3/ticker/price", {"symbol": "BTCUSDT"}))
print(call("GET", "/api/v3/account"))

order = {
    "symbol": "BTCUSDT",
    "side": "BUY",
    "type": "LIMIT",
    "quantity": "0.001",
    "price": "50000",
}
# A new key for each order, the same one for each retry of it.
print(call("POST", "/api/v3/order", order, {"Idempotency-Key": str(uuid.uuid4())}))`,
    },
    {
      id: 'bg-python-requests',
      language: 'python',
      exchange: 'bg',
      title: 'requests',
      file: 'bitget_requests.py',
      code: `import uuid

import requests

from sluice_token import SLUICE, bearer


def call(method, path, params=None, body=None, headers=None, refused=None):
    authorization = bearer(refused)
    headers_too = {**(headers or {}), "Authorization": authorization}
    parts = {"params": params, "json": body, "headers": headers_too}
    # An order may wait up to 180 s for its turn.
    answer = requests.request(method, f"{SLUICE}/bg{path}", **parts, timeout=200)
    # Refused before its time: once more with a new one, all else the same.
    if answer.status_code == 401 and refused is None:
        return call(method, path, params, body, headers, authorization)
    return answer.json()


print(call("GET", "/api/v2/spot/market/tickers", {"symbol": "BTCUSDT"}))
print(call("GET", "/api/v2/spot/account/assets"))

order = {
    "symbol": "BTCUSDT",
    "side": "buy",
    "orderType": "limit",
    "force": "gtc",
    "price": "50000",
    "size": "0.001",
}
# A new key for each order, the same one for each retry of it.
key = {"Idempotency-Key": str(uuid.uuid4())}
print(call("POST", "/api/v2/spot/trade/place-order", body=order, headers=key))`,
    },
    pythonCcxt('mx', 'mexc'),
    pythonCcxt('bg', 'bitget'),
  ]
}
