import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'
import type { ExchangeCode } from './endpoint.ts'

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


def bearer() -> str:
    """The Authorization header, with a token that is good for at least a minute more."""
    global _token, _ends_at
    if _ends_at - time.time() < 60:
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
    {
      id: 'mx-python-requests',
      language: 'python',
      exchange: 'mx',
      title: 'requests',
      file: 'mexc_requests.py',
      code: `import uuid

import requests

from sluice_token import SLUICE, bearer


def call(method, path, params=None, headers=None):
    headers = {**(headers or {}), "Authorization": bearer()}
    url = f"{SLUICE}/mx{path}"
    # An order may wait up to 180 s for its turn.
    return requests.request(method, url, params=params, headers=headers, timeout=200).json()


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


def call(method, path, params=None, body=None, headers=None):
    headers = {**(headers or {}), "Authorization": bearer()}
    parts = {"params": params, "json": body, "headers": headers}
    # An order may wait up to 180 s for its turn.
    return requests.request(method, f"{SLUICE}/bg{path}", **parts, timeout=200).json()


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
    ccxt('mx', { file: 'mexc_ccxt.py', name: 'mexc', keys: ['apiKey', 'secret'] }),
    ccxt('bg', { file: 'bitget_ccxt.py', name: 'bitget', keys: ['apiKey', 'secret', 'password'] }),
  ]
}

interface CcxtParts {
  readonly file: string
  readonly name: string
  /** What ccxt calls the parts of a key. */
  readonly keys: readonly string[]
}

function ccxt(exchange: ExchangeCode, { file, name, keys }: CcxtParts): BotSnippet {
  return {
    id: `${exchange}-python-ccxt`,
    language: 'python',
    exchange,
    title: 'ccxt',
    file,
    code: `import contextvars
import json
import re
import uuid

import ccxt

from sluice_token import SLUICE, bearer

order_key = contextvars.ContextVar("order_key", default=None)


class ViaSluice(ccxt.${name}):
    def fetch(self, url, method="GET", headers=None, body=None):
        ours = {"Authorization": bearer()}
        if order_key.get():
            ours["Idempotency-Key"] = order_key.get()
        return super().fetch(url, method, {**(headers or {}), **ours}, body)

    # Each order has an id, and with it a key: when ccxt tries again, or you do with the same id, it is placed once.
    def create_order(self, symbol, type, side, amount, price=None, params={}):
        params = {"clientOrderId": uuid.uuid4().hex, **params}
        before = order_key.set(params["clientOrderId"])
        try:
            return super().create_order(symbol, type, side, amount, price, params)
        finally:
            order_key.reset(before)


exchange = ViaSluice({
    # Placeholders: Sluice takes away what they sign, and signs with the stored keys.
${keys.map((key) => `    "${key}": "via-sluice",`).join('\n')}
    # Sluice keeps the pace; an order may wait up to 180 s for its turn.
    "enableRateLimit": False,
    "timeout": 200_000,
})
# Every address, so that the token goes nowhere else.
addresses = json.dumps(exchange.urls["api"])
exchange.urls["api"] = json.loads(re.sub(r'https://[^/"]+', f"{SLUICE}/${exchange}", addresses))

print(exchange.fetch_ticker("BTC/USDT"))
print(exchange.fetch_balance())
print(exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50000))`,
  }
}
