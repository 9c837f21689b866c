. ./sluice-token.sh

sluice "$SLUICE/mx/api/v3/ticker/price?symbol=BTCUSDT"
sluice "$SLUICE/mx/api/v3/account"

# A new key for each order, the same one for each retry of it.
order=$(sluice -X POST -H "Idempotency-Key: order-$(date +%s)-$$" \
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000")
echo "$order"

# It is cancelled without waiting for its turn in the queue: 202 at once, and a Location where to ask what became of it.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\([^"]*\)".*/\1/p')
[ -n "$id" ] && sluice -i -X DELETE -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" \
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&orderId=$id"
