import type { BotSnippet } from './bot-snippets.ts'
import type { ExchangeCode } from './endpoint.ts'

/** What both exchanges share with ccxt in JavaScript. */
export const javascriptCcxtBase = (): BotSnippet => ({
  id: 'javascript-ccxt',
  language: 'javascript',
  exchange: null,
  title: 'ccxt, for both exchanges',
  file: 'sluice-ccxt.mjs',
  code: `import { randomUUID } from 'node:crypto'
import ccxt from 'ccxt'
import { bearer, SLUICE } from './sluice-token.mjs'

class TokenRefused extends ccxt.AuthenticationError {}

/** Sluice's own error as one of ccxt. NetworkErrors may be sent again; after RequestTimeout an order may stand. */
function errorOf({ statusCode, outcome, retryable }) {
  if (statusCode === 401) return TokenRefused
  if (statusCode === 403) return ccxt.PermissionDenied
  if (statusCode === 429) return ccxt.RateLimitExceeded
  if (statusCode < 500) return ccxt.BadRequest
  if (outcome === 'unknown') return ccxt.RequestTimeout
  return retryable === false ? ccxt.ExchangeError : ccxt.ExchangeNotAvailable
}

/** ccxt.mexc with 'mx', or ccxt.bitget with 'bg'. */
export function viaSluice(Exchange, family, settings = {}) {
  class ViaSluice extends Exchange {
    // One key for each call, kept when ccxt sends it again. Your own, to try again yourself: params.idempotencyKey.
    fetch2(path, api, method, params = {}, headers, body, config) {
      const key = params.idempotencyKey ?? randomUUID()
      const sent = 'idempotencyKey' in params ? this.omit(params, 'idempotencyKey') : params
      return super.fetch2(path, api, method, sent, { ...headers, 'Idempotency-Key': key }, body, config)
    }

    sign(path, api, method, params, headers, body) {
      const signed = super.sign(path, api, method, params, undefined, body)
      return { ...signed, headers: { ...signed.headers, ...headers } }
    }

    async fetch(url, method, headers, body, refused) {
      const Authorization = await bearer(refused).catch((error) => {
        throw new (error.status < 429 ? ccxt.AuthenticationError : ccxt.NetworkError)(error.message)
      })
      try {
        return await super.fetch(url, method, { ...headers, Authorization }, body)
      } catch (error) {
        // Withdrawn before its time: once more with a new one, the same key and all.
        if (refused || !(error instanceof TokenRefused)) throw error
        return this.fetch(url, method, headers, body, Authorization)
      }
    }

    handleErrors(status, reason, url, method, headers, body, response, ...rest) {
      if (response?.requestId && response.statusCode === status)
        throw new (errorOf(response))(\`\${this.id} \${body}\`)
      return super.handleErrors(status, reason, url, method, headers, body, response, ...rest)
    }
  }

  const exchange = new ViaSluice({
    // Placeholders: Sluice takes away what they sign, and signs with the stored keys.
    apiKey: 'via-sluice',
    secret: 'via-sluice',
    password: 'via-sluice',
    // Sluice keeps the pace; an order may wait up to 180 s for its turn.
    enableRateLimit: false,
    timeout: 200_000,
    ...settings,
  })
  // Every address, so that the token goes nowhere else.
  const addresses = JSON.stringify(exchange.urls.api)
  exchange.urls.api = JSON.parse(addresses.replaceAll(/https:\\/\\/[^/"]+/g, \`\${SLUICE}/\${family}\`))
  return exchange
}`,
})

export function javascriptCcxt(exchange: ExchangeCode, name: 'mexc' | 'bitget'): BotSnippet {
  return {
    id: `${exchange}-javascript-ccxt`,
    language: 'javascript',
    exchange,
    title: 'ccxt',
    file: `${name}-ccxt.mjs`,
    code: `import ccxt from 'ccxt'
import { viaSluice } from './sluice-ccxt.mjs'

const exchange = viaSluice(ccxt.${name}, '${exchange}')

console.log(await exchange.fetchTicker('BTC/USDT'))
console.log(await exchange.fetchBalance())
console.log(await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000))`,
  }
}

/** What both exchanges share with ccxt in Python. */
export const pythonCcxtBase = (): BotSnippet => ({
  id: 'python-ccxt',
  language: 'python',
  exchange: null,
  title: 'ccxt, for both exchanges',
  file: 'sluice_ccxt.py',
  code: `import json
import re
import urllib.error
import uuid

import ccxt

from sluice_token import SLUICE, bearer


class TokenRefused(ccxt.AuthenticationError):
    pass


def error_of(answer):
    """Sluice's own error as one of ccxt. NetworkErrors may be sent again; after RequestTimeout an order may stand."""
    status = answer["statusCode"]
    if status == 401:
        return TokenRefused
    if status == 403:
        return ccxt.PermissionDenied
    if status == 429:
        return ccxt.RateLimitExceeded
    if status < 500:
        return ccxt.BadRequest
    if answer.get("outcome") == "unknown":
        return ccxt.RequestTimeout
    return ccxt.ExchangeError if answer.get("retryable") is False else ccxt.ExchangeNotAvailable


def token_header(refused):
    try:
        return bearer(refused)
    except urllib.error.HTTPError as error:
        kind = ccxt.AuthenticationError if error.code < 429 else ccxt.NetworkError
        raise kind(f"No token: {error}") from error
    except OSError as error:
        raise ccxt.NetworkError(f"No token: {error}") from error


def via_sluice(exchange_class, family, settings=None):
    """ccxt.mexc with "mx", or ccxt.bitget with "bg"."""

    class ViaSluice(exchange_class):
        # One key for each call, kept when ccxt sends it again. Your own, to try again yourself: params["idempotencyKey"].
        def fetch2(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
            key = str(uuid.uuid4())
            if "idempotencyKey" in params:
                params = dict(params)
                key = params.pop("idempotencyKey")
            headers = {**(headers or {}), "Idempotency-Key": key}
            return super().fetch2(path, api, method, params, headers, body, config)

        def sign(self, path, api="public", method="GET", params={}, headers=None, body=None):
            signed = super().sign(path, api, method, params, None, body)
            return {**signed, "headers": {**(signed["headers"] or {}), **(headers or {})}}

        def fetch(self, url, method="GET", headers=None, body=None, refused=None):
            authorization = token_header(refused)
            ours = {**(headers or {}), "Authorization": authorization}
            try:
                return super().fetch(url, method, ours, body)
            except TokenRefused:
                # Withdrawn before its time: once more with a new one, the same key and all.
                if refused is not None:
                    raise
                return self.fetch(url, method, headers, body, authorization)

        def handle_errors(self, status, reason, url, method, headers, body, response, *rest):
            if isinstance(response, dict) and "requestId" in response and response.get("statusCode") == status:
                raise error_of(response)(f"{self.id} {body}")
            return super().handle_errors(status, reason, url, method, headers, body, response, *rest)

    exchange = ViaSluice({
        # Placeholders: Sluice takes away what they sign, and signs with the stored keys.
        "apiKey": "via-sluice",
        "secret": "via-sluice",
        "password": "via-sluice",
        # Sluice keeps the pace; an order may wait up to 180 s for its turn.
        "enableRateLimit": False,
        "timeout": 200_000,
        **(settings or {}),
    })
    # Every address, so that the token goes nowhere else.
    addresses = json.dumps(exchange.urls["api"])
    exchange.urls["api"] = json.loads(re.sub(r'https://[^/"]+', f"{SLUICE}/{family}", addresses))
    return exchange`,
})

export function pythonCcxt(exchange: ExchangeCode, name: 'mexc' | 'bitget'): BotSnippet {
  return {
    id: `${exchange}-python-ccxt`,
    language: 'python',
    exchange,
    title: 'ccxt',
    file: `${name}_ccxt.py`,
    code: `import ccxt

from sluice_ccxt import via_sluice

exchange = via_sluice(ccxt.${name}, "${exchange}")

print(exchange.fetch_ticker("BTC/USDT"))
print(exchange.fetch_balance())
print(exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50000))`,
  }
}
