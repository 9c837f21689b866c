. ./sluice-token.sh

sluice "$SLUICE/mx/api/v3/ticker/price?symbol=BTCUSDT"
sluice "$SLUICE/mx/api/v3/account"

# One key per order: a new order gets a new key, a retry sends the same key.
order=$(sluice -X POST -H "Idempotency-Key: order-$(date +%s)-$$" \
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000")
echo "$order"

# Cancel it without waiting for the response of the exchange: 202 at once, and a Location that returns the outcome.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\([^"]*\)".*/\1/p')
[ -n "$id" ] && sluice -i -X DELETE -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" \
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&orderId=$id"
