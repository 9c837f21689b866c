import json
import os
import re

import ccxt

CLIENT = f"{os.environ['SLUICE_CLIENT_ID']}:{os.environ['SLUICE_CLIENT_SECRET']}"
# For ccxt.mexc it ends with /mx.
SLUICE = os.environ.get("SLUICE_URL", "https://sluice.example") + "/bg"

exchange = ccxt.bitget({
    # Placeholders: Sluice removes their signature and signs with the stored keys.
    "apiKey": "via-sluice",
    "secret": "via-sluice",
    "password": "via-sluice",
    "headers": {"Authorization": f"Bearer {CLIENT}"},
    # Sluice limits the rate; an order may wait in the queue for up to 180 s.
    "enableRateLimit": False,
    "timeout": 200_000,
})
# Every address: the secret must not go anywhere else.
addresses = json.dumps(exchange.urls["api"])
exchange.urls["api"] = json.loads(re.sub(r'https://[^/"]+', SLUICE, addresses))

print(exchange.fetch_ticker("BTC/USDT"))
print(exchange.fetch_balance())
print(exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50000))
