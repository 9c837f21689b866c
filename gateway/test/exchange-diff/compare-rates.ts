import { type ExchangeLimit, rateOf } from '../../src/exchanges/limits.ts'
import { adapters } from '../../src/exchanges/registry.ts'
import type { SdkCall } from './sdk-tables.ts'

export interface RateDiff {
  /** Calls that both our tables of limits and ccxt have a number for. */
  readonly compared: number
  /** Calls for which the numbers differ and nobody has said why. */
  readonly undecided: readonly string[]
  /** Listed differences that are none any more. */
  readonly stale: readonly string[]
}

/** Where ccxt has another number than the exchange's pages; ours are those of the pages. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'ccxt gives nearly every futures call of MEXC one cost': [
    ...['create', 'submit'].map((name) => `POST /api/v1/private/order/${name}`),
    ...['place', 'place/v2'].map((name) => `POST /api/v1/private/planorder/${name}`),
    'POST /api/v1/private/stoporder/place',
    ...['place', 'cancel', 'change_order'].map((name) => `POST /api/v1/private/trackorder/${name}`),
    ...['change_leverage', 'reverse'].map((name) => `POST /api/v1/private/position/${name}`),
  ],
  'ccxt is more careful than the pages of MEXC': [
    'GET /api/v1/contract/detail',
    ...['submit_batch', 'chase_limit_order', 'change_limit_order'].map(
      (name) => `POST /api/v1/private/order/${name}`,
    ),
  ],
  'the pages of MEXC have a lower and a higher number': ['GET /api/v1/contract/ticker'],
  'ccxt is more careful than the pages of Bitget': [
    'POST /api/v2/spot/trade/batch-orders',
    ...['click-backhand', 'batch-place-order', 'cancel-all-orders'].map(
      (name) => `POST /api/v2/mix/order/${name}`,
    ),
  ],
  'the pages of Bitget are more careful than ccxt': [
    'POST /api/v2/spot/trade/cancel-replace-order',
    'POST /api/v2/spot/trade/batch-cancel-plan-order',
    'POST /api/v3/trade/batch-modify-order',
  ],
}
/** ccxt writes 3 per second as a cost of 6.6667. */
const ROUNDING = 0.01

/** Whether the weights and paces of ccxt are those in `gateway/src/exchanges/.../limits.ts`. */
export function compareRates(calls: readonly SdkCall[]): RateDiff {
  const pairs = calls.flatMap(pairsOf)
  const differing = pairs.filter(({ ours, theirs }) => Math.abs(ours / theirs - 1) > ROUNDING)
  const known = Object.values(KNOWN).flat()
  return {
    compared: pairs.length,
    undecided: differing
      .filter(({ call }) => !known.includes(call))
      .map(({ call, ours, theirs, unit }) => `${call}: here ${ours} ${unit}, in ccxt ${theirs}`),
    stale: known.filter((each) => !differing.some(({ call }) => call === each)),
  }
}

interface Pair {
  readonly call: string
  readonly ours: number
  readonly theirs: number
  readonly unit: string
}

function pairsOf({ exchange, method, path, pace }: SdkCall): Pair[] {
  if (pace === undefined) return []
  return adapters.ofCode(exchange).flatMap(({ family, limits: { table } }) => {
    const call = nameIn(table, `${method} ${path}`)
    if (call === undefined) return []
    // MEXC spot counts weights; elsewhere each call has a count of its own.
    if (family === 'mexc-spot')
      return [{ call, ours: weightOf(table, call), theirs: pace.weight, unit: 'by weight' }]
    const ours = rateOf(call, table)?.perSecond ?? 0
    return [{ call, ours, theirs: pace.perSecond, unit: 'per second' }]
  })
}

type Call = keyof Exclude<ExchangeLimit['calls'], 'every'>

/** The name under which the table has a call; its parameters may have other names. */
function nameIn(table: readonly ExchangeLimit[], call: string): Call | undefined {
  const plain = (name: string) => name.replaceAll(/\{\w+\}/g, '{}')
  return callsIn(table).find((name) => plain(name) === plain(call))
}

function callsIn(table: readonly ExchangeLimit[]): Call[] {
  return table.flatMap(({ calls }) => (calls === 'every' ? [] : (Object.keys(calls) as Call[])))
}

function weightOf(table: readonly ExchangeLimit[], call: Call): number {
  const weights = table.map(({ calls }) => (calls === 'every' ? 1 : (calls[call] ?? 0)))
  return Math.max(...weights)
}
