import uuid

import requests

from sluice import SLUICE, bearer


def call(method, path, params=None, headers=None, rejected=None):
    authorization = bearer(rejected)
    parts = {"params": params, "headers": {**(headers or {}), "Authorization": authorization}}
    # An order may wait in the queue for up to 180 s.
    response = requests.request(method, f"{SLUICE}/mx{path}", **parts, timeout=200)
    # The token was rejected before it expired: try once more with a new token.
    if response.status_code == 401 and rejected is None:
        return call(method, path, params, headers, authorization)
    return response.json()


print(call("GET", "/api/v3/ticker/price", {"symbol": "BTCUSDT"}))
print(call("GET", "/api/v3/account"))

order = {
    "symbol": "BTCUSDT",
    "side": "BUY",
    "type": "LIMIT",
    "quantity": "0.001",
    "price": "50000",
}
# One key per order: a new order gets a new key, a retry sends the same key.
print(call("POST", "/api/v3/order", order, {"Idempotency-Key": str(uuid.uuid4())}))
