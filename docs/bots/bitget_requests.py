import uuid

import requests

from sluice import SLUICE, bearer

# These routes are the same for classic and unified accounts; Bitget's own, below /bg, differ.
ROUTES = f"{SLUICE}/api/bg/v1"


def call(method, path, params=None, body=None, headers=None, rejected=None):
    authorization = bearer(rejected)
    headers_too = {**(headers or {}), "Authorization": authorization}
    parts = {"params": params, "json": body, "headers": headers_too}
    # An order may wait in the queue for up to 180 s.
    response = requests.request(method, f"{ROUTES}{path}", **parts, timeout=200)
    # The token was rejected before it expired: try once more with a new token.
    if response.status_code == 401 and rejected is None:
        return call(method, path, params, body, headers, authorization)
    return response.json()


print(call("GET", "/spot/market/tickers", {"symbol": "BTCUSDT"}))
print(call("GET", "/getAccountInfo"))

order = {
    "symbol": "BTCUSDT",
    "side": "buy",
    "orderType": "limit",
    "force": "gtc",
    "price": "50000",
    "size": "0.001",
}
# One key per order: a new order gets a new key, a retry sends the same key.
key = {"Idempotency-Key": str(uuid.uuid4())}
print(call("POST", "/spot/trade/place-order", body=order, headers=key))
