. ./sluice-token.sh

# These routes are the same for classic and unified accounts; Bitget's own, below $SLUICE/bg, differ.
sluice "$SLUICE/api/bg/v1/spot/market/tickers?symbol=BTCUSDT"
sluice "$SLUICE/api/bg/v1/getAccountInfo"

# One key per order: a new order gets a new key, a retry sends the same key.
order=$(sluice "$SLUICE/api/bg/v1/spot/trade/place-order" \
  -H "Idempotency-Key: order-$(date +%s)-$$" -H 'Content-Type: application/json' \
  -d '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"50000","size":"0.001"}')
echo "$order"

# Cancel it without waiting for the response of the exchange: 202 at once, and a Location that returns the outcome.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\([^"]*\)".*/\1/p')
[ -n "$id" ] && sluice -i "$SLUICE/api/bg/v1/spot/trade/cancel-order" \
  -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" -H 'Content-Type: application/json' \
  -d "{\"symbol\":\"BTCUSDT\",\"orderId\":\"$id\"}"
