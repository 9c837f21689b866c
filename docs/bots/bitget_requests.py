import uuid

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
print(call("POST", "/api/v2/spot/trade/place-order", body=order, headers=key))
