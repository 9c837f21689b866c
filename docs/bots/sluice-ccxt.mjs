import { randomUUID } from 'node:crypto'
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
      const withKey = { ...headers, 'Idempotency-Key': key }
      return super.fetch2(path, api, method, sent, withKey, body, config)
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
        throw new (errorOf(response))(`${this.id} ${body}`)
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
  exchange.urls.api = JSON.parse(addresses.replaceAll(/https:\/\/[^/"]+/g, `${SLUICE}/${family}`))
  return exchange
}
