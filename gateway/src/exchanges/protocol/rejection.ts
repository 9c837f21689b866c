import type { FastifyError } from '@fastify/error'
import { createError } from '@fastify/error'
import { ExchangeResponseUnclearError } from './errors.ts'
import type { Rejection, RejectionClass, Verdict } from './verdict.ts'

/**
 * How a bot sees each class of rejection. Never 401: a bot would think that its own token is
 * bad and sign in again. The codes are stable; trading programs decide by them.
 */
const ERRORS: Record<RejectionClass, readonly [status: number, code: string, advice: string]> = {
  signature: [
    403,
    'EXCHANGE_SIGNATURE_REFUSED',
    'The stored secret or passphrase does not match the key; they have to be stored again',
  ],
  time: [
    503,
    'EXCHANGE_TIME_REFUSED',
    "Nothing was done. The gateway is measuring the exchange's clock again; send the request again",
  ],
  key: [
    403,
    'EXCHANGE_KEY_REFUSED',
    'The stored key or its passphrase is wrong, or the key is expired or deleted; new keys have to be stored',
  ],
  ip: [
    403,
    'EXCHANGE_IP_REFUSED',
    "The gateway's address is not allowed; add it to the key at the exchange",
  ],
  permission: [
    403,
    'EXCHANGE_PERMISSION_REFUSED',
    'The stored key or its account lacks the permission for this; change its permissions at the exchange',
  ],
  'account-kind': [
    503,
    'EXCHANGE_ACCOUNT_KIND_REFUSED',
    'Nothing was done. The account is being changed between classic and unified, which takes about a minute; send the request again',
  ],
  region: [
    403,
    'EXCHANGE_REGION_REFUSED',
    'The exchange does not serve the region of the account or of the gateway',
  ],
  parameter: [422, 'EXCHANGE_PARAMETER_REFUSED', 'Correct the value that the message names'],
  balance: [422, 'EXCHANGE_BALANCE_REFUSED', 'Order less, or add funds'],
  position: [
    422,
    'EXCHANGE_POSITION_REFUSED',
    "Compare the order with the open position and the account's position mode",
  ],
  size: [422, 'EXCHANGE_SIZE_REFUSED', "Choose a size and a price within the symbol's rules"],
  symbol: [422, 'EXCHANGE_SYMBOL_REFUSED', 'The symbol cannot be traded through the API right now'],
  'order-form': [422, 'EXCHANGE_ORDER_FORM_REFUSED', 'Correct the side, type or trigger'],
  leverage: [
    422,
    'EXCHANGE_LEVERAGE_REFUSED',
    'Choose a leverage, margin mode and position mode that the symbol, and what is open, allow',
  ],
  limit: [422, 'EXCHANGE_LIMIT_REFUSED', 'Too many orders or positions are open; close some first'],
  'order-not-found': [
    404,
    'EXCHANGE_ORDER_NOT_FOUND',
    'Check the id and the symbol; an order placed moments ago may not be visible yet',
  ],
  'order-state': [
    409,
    'EXCHANGE_ORDER_STATE_REFUSED',
    'The order is already filled, cancelled or being changed; ask for its state',
  ],
  duplicate: [
    409,
    'EXCHANGE_ORDER_DUPLICATE',
    'An order with this client order id exists or existed; look it up before sending another',
  ],
  rate: [429, 'EXCHANGE_RATE_LIMITED', 'Nothing was done; wait, then send the request again'],
  maintenance: [503, 'EXCHANGE_MAINTENANCE', 'Nothing was done; try again in a few minutes'],
  other: [
    422,
    'EXCHANGE_REFUSED',
    "Nothing was done; look up the code in the exchange's documentation",
  ],
}

const makers = new Map(
  Object.entries(ERRORS).map(([name, [status, code, advice]]) => [
    name,
    createError<[exchange: string, words: string]>(
      code,
      `%s rejected the request: %s. ${advice}`,
      status,
    ),
  ]),
)

export interface ExchangeRejectedError extends FastifyError {
  readonly exchangeCode: string
  readonly exchangeMessage: string
}

/**
 * A rejection as an error for the caller: the exchange's own code and words, and what to do now.
 * @param exchange its name as people know it, `MEXC` or `Bitget`
 */
export function rejectionError(exchange: string, rejection: Rejection): ExchangeRejectedError {
  const { exchangeCode, exchangeMessage } = rejection
  const Rejected = makers.get(rejection.class)
  if (Rejected === undefined) throw new TypeError(`No error is made for ${rejection.class}`)
  // Exchanges end some of their messages with a full stop; here the sentence goes on.
  const said = exchangeMessage.replace(/[.\s]+$/, '')
  const words = said === '' ? exchangeCode : `${said} (${exchangeCode})`
  return Object.assign(new Rejected(exchange, words), { exchangeCode, exchangeMessage })
}

/** Whether an error is a rejection by the exchange (`rejectionError`). */
export function isRejection(error: unknown): error is Error & { readonly exchangeCode: string } {
  return error instanceof Error && 'exchangeCode' in error && typeof error.exchangeCode === 'string'
}

/** Whether an error is a rejection of this class. */
export function isRejectedAs(error: unknown, name: RejectionClass): boolean {
  const [, code] = ERRORS[name]
  return isRejection(error) && 'code' in error && error.code === code
}

/**
 * The data of a response that says "done"; every other verdict becomes its error.
 * @throws ExchangeRejectedError, ExchangeResponseUnclearError
 */
export function dataOf(exchange: string, verdict: Verdict): unknown {
  switch (verdict.kind) {
    case 'ok':
      return verdict.data
    case 'unknown':
      throw new ExchangeResponseUnclearError(exchange, unclearWords(verdict))
    default:
      throw rejectionError(exchange, verdict.rejection)
  }
}

function unclearWords(verdict: Extract<Verdict, { kind: 'unknown' }>): string {
  const { why, exchangeCode, exchangeMessage } = verdict
  const words = [exchangeMessage, exchangeCode].filter((word) => word !== undefined).join(', ')
  return words === '' ? why : `${why} (${words})`
}
