import type { BotSnippet, SnippetOptions } from './bot-snippets.ts'

/** For a POSIX shell. */
export function curlSnippets({ gatewayUrl }: SnippetOptions): readonly BotSnippet[] {
  return [
    {
      id: 'curl-token',
      language: 'curl',
      exchange: null,
      title: 'Get a token, and a new one before it ends',
      file: 'sluice-token.sh',
      code: `SLUICE='${gatewayUrl}'

# Call it before each request: it asks again when less than a minute is left of the 600 seconds.
sluice_token() {
  [ "\${TOKEN_ENDS_AT:-0}" -gt "$(($(date +%s) + 60))" ] && return
  answer=$(curl -sS --fail-with-body "$SLUICE/auth/token" \\
    -H 'Content-Type: application/json' \\
    --data @- <<END
{"clientId":"$SLUICE_CLIENT_ID","clientSecret":"$SLUICE_CLIENT_SECRET"}
END
  ) || { echo "$answer" >&2; return 1; }
  TOKEN=$(printf '%s' "$answer" | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')
  TOKEN_ENDS_AT=$(($(date +%s) + 600))
}`,
    },
    {
      id: 'mx-curl',
      language: 'curl',
      exchange: 'mx',
      title: 'Price, balances, an order',
      file: 'mexc.sh',
      code: `. ./sluice-token.sh

sluice_token
curl -sS "$SLUICE/mx/api/v3/ticker/price?symbol=BTCUSDT" -H "Authorization: Bearer $TOKEN"
curl -sS "$SLUICE/mx/api/v3/account" -H "Authorization: Bearer $TOKEN"

# A new key for each order, the same one for each retry of it.
curl -sS -X POST "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: order-$(date +%s)-$$"

# Not waiting for its turn in the queue: 202 at once, and a Location where to ask what became of it.
curl -sSi -X DELETE "$SLUICE/mx/api/v3/openOrders?symbol=BTCUSDT" \\
  -H "Authorization: Bearer $TOKEN" -H 'Prefer: respond-async'`,
    },
    {
      id: 'bg-curl',
      language: 'curl',
      exchange: 'bg',
      title: 'Price, balances, an order',
      file: 'bitget.sh',
      code: `. ./sluice-token.sh

sluice_token
curl -sS "$SLUICE/bg/api/v2/spot/market/tickers?symbol=BTCUSDT" -H "Authorization: Bearer $TOKEN"
curl -sS "$SLUICE/bg/api/v2/spot/account/assets" -H "Authorization: Bearer $TOKEN"

# A new key for each order, the same one for each retry of it.
curl -sS "$SLUICE/bg/api/v2/spot/trade/place-order" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: order-$(date +%s)-$$" \\
  -H 'Content-Type: application/json' \\
  -d '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"50000","size":"0.001"}'

# Not waiting for its turn in the queue: 202 at once, and a Location where to ask what became of it.
curl -sSi "$SLUICE/bg/api/v2/spot/trade/cancel-symbol-order" \\
  -H "Authorization: Bearer $TOKEN" -H 'Prefer: respond-async' \\
  -H 'Content-Type: application/json' -d '{"symbol":"BTCUSDT"}'`,
    },
  ]
}
