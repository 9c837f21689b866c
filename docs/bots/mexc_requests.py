import uuid

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
print(call("POST", "/api/v3/order", order, {"Idempotency-Key": str(uuid.uuid4())}))
