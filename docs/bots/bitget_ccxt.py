import ccxt

from sluice import via_sluice

exchange = via_sluice(ccxt.bitget, "bg")

print(exchange.fetch_ticker("BTC/USDT"))
print(exchange.fetch_balance())
print(exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50000))
