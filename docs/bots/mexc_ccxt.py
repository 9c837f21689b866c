import uuid

import ccxt

from sluice import via_sluice

exchange = via_sluice(ccxt.mexc, "mx")

print(exchange.fetch_ticker("BTC/USDT"))
print(exchange.fetch_balance())
# One key per order: a new order gets a new key, a retry sends the same key.
key = {"idempotencyKey": str(uuid.uuid4())}
print(exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50000, key))
