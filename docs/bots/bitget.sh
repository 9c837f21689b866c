. ./sluice-token.sh

sluice "$SLUICE/bg/api/v2/spot/market/tickers?symbol=BTCUSDT"
sluice "$SLUICE/bg/api/v2/spot/account/assets"

# One key per order: a new order gets a new key, a retry sends the same key.
order=$(sluice "$SLUICE/bg/api/v2/spot/trade/place-order" \
  -H "Idempotency-Key: order-$(date +%s)-$$" -H 'Content-Type: application/json' \
  -d '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"50000","size":"0.001"}')
echo "$order"

# Cancel it without waiting for the response of the exchange: 202 at once, and a Location that returns the outcome.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\([^"]*\)".*/\1/p')
[ -n "$id" ] && sluice -i "$SLUICE/bg/api/v2/spot/trade/cancel-order" \
  -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" -H 'Content-Type: application/json' \
  -d "{\"symbol\":\"BTCUSDT\",\"orderId\":\"$id\"}"
