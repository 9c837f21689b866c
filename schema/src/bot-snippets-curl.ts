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
}

# curl with the token; when it is refused before its time, once more with a new one, all else the same.
sluice() {
  sluice_token || return
  answer=$(curl -sS -w '\\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  case $answer in *'
401')
    TOKEN_ENDS_AT=0
    sluice_token || return
    answer=$(curl -sS -w '\\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  esac
  printf '%s' "\${answer%???}"
}`,
    },
    {
      id: 'mx-curl',
      language: 'curl',
      exchange: 'mx',
      title: 'Price, balances, an order',
      file: 'mexc.sh',
      code: `. ./sluice-token.sh

sluice "$SLUICE/mx/api/v3/ticker/price?symbol=BTCUSDT"
sluice "$SLUICE/mx/api/v3/account"

# A new key for each order, the same one for each retry of it.
order=$(sluice -X POST -H "Idempotency-Key: order-$(date +%s)-$$" \\
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000")
echo "$order"

# It is cancelled without waiting for its turn in the queue: 202 at once, and a Location where to ask what became of it.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\\([^"]*\\)".*/\\1/p')
[ -n "$id" ] && sluice -i -X DELETE -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" \\
  "$SLUICE/mx/api/v3/order?symbol=BTCUSDT&orderId=$id"`,
    },
    {
      id: 'bg-curl',
      language: 'curl',
      exchange: 'bg',
      title: 'Price, balances, an order',
      file: 'bitget.sh',
      code: `. ./sluice-token.sh

sluice "$SLUICE/bg/api/v2/spot/market/tickers?symbol=BTCUSDT"
sluice "$SLUICE/bg/api/v2/spot/account/assets"

# A new key for each order, the same one for each retry of it.
order=$(sluice "$SLUICE/bg/api/v2/spot/trade/place-order" \\
  -H "Idempotency-Key: order-$(date +%s)-$$" -H 'Content-Type: application/json' \\
  -d '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"50000","size":"0.001"}')
echo "$order"

# It is cancelled without waiting for its turn in the queue: 202 at once, and a Location where to ask what became of it.
id=$(printf '%s' "$order" | sed -n 's/.*"orderId":"\\([^"]*\\)".*/\\1/p')
[ -n "$id" ] && sluice -i "$SLUICE/bg/api/v2/spot/trade/cancel-order" \\
  -H 'Prefer: respond-async' -H "Idempotency-Key: cancel-$id" -H 'Content-Type: application/json' \\
  -d "{\\"symbol\\":\\"BTCUSDT\\",\\"orderId\\":\\"$id\\"}"`,
    },
  ]
}
