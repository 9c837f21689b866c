import { randomUUID } from 'node:crypto'
import ccxt from 'ccxt'
import { bearer, SLUICE } from './sluice-token.mjs'

class TokenRejected extends ccxt.AuthenticationError {}

/** Maps an error of Sluice to one of ccxt. Retry a NetworkError with the same key; after a RequestTimeout the order may exist. */
function errorOf({ statusCode, outcome, retryable }) {
  if (statusCode === 401) return TokenRejected
  if (statusCode === 403) return ccxt.PermissionDenied
  if (statusCode === 429) return ccxt.RateLimitExceeded
  if (statusCode < 500) return ccxt.BadRequest
  if (outcome === 'unknown') return ccxt.RequestTimeout
  return retryable === false ? ccxt.ExchangeError : ccxt.ExchangeNotAvailable
}

/** ccxt.mexc with 'mx', or ccxt.bitget with 'bg'. */
export function viaSluice(Exchange, family, settings = {}) {
  class ViaSluice extends Exchange {
    // One key per call, kept when ccxt retries it. To retry by yourself, set params.idempotencyKey.
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

    async fetch(url, method, headers, body, rejected) {
      const Authorization = await bearer(rejected).catch((error) => {
        throw new (error.status < 429 ? ccxt.AuthenticationError : ccxt.NetworkError)(error.message)
      })
      try {
        return await super.fetch(url, method, { ...headers, Authorization }, body)
      } catch (error) {
        // The token was revoked: try once more with a new token and the same key.
        if (rejected || !(error instanceof TokenRejected)) throw error
        return this.fetch(url, method, headers, body, Authorization)
      }
    }

    handleErrors(status, reason, url, method, headers, body, response, ...rest) {
      if (response?.sluice) throw new (errorOf(response.sluice))(`${this.id} ${body}`)
      // Bitget says of which kind the account is, classic or unified: the next call is made for that.
      if (response?.code === '40084') this.options.uta = false
      if (response?.code === '40085') this.options.uta = true
      return super.handleErrors(status, reason, url, method, headers, body, response, ...rest)
    }
  }

  const exchange = new ViaSluice({
    // Placeholders: Sluice removes their signature and signs with the stored keys.
    apiKey: 'via-sluice',
    secret: 'via-sluice',
    password: 'via-sluice',
    // Sluice limits the rate; an order may wait in the queue for up to 180 s.
    enableRateLimit: false,
    timeout: 200_000,
    ...settings,
  })
  // Every address: the token must not go anywhere else.
  const addresses = JSON.stringify(exchange.urls.api)
  exchange.urls.api = JSON.parse(addresses.replaceAll(/https:\/\/[^/"]+/g, `${SLUICE}/${family}`))
  return exchange
}
