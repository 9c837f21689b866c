import { BITGET_RATE } from '../../src/exchanges/bitget/responses.ts'
import { closedReason, kindOf, namesIn } from '../../src/exchanges/call-table.ts'
import type { ExchangeCode } from '../../src/exchanges/exchange.ts'
import { type ExchangeLimit, rateOf } from '../../src/exchanges/limits.ts'
import { FUTURES_RATE } from '../../src/exchanges/mexc-futures/responses.ts'
import { SPOT_RATE } from '../../src/exchanges/mexc-spot/responses.ts'
import { adapters } from '../../src/exchanges/registry.ts'
import type { SdkCall, SdkCode } from './sdk-tables.ts'
import { covers, partsOf, unclassedCodes } from './unclassed-codes.ts'

export interface CallDiff {
  /** How many calls the SDKs know, and how many of them are open. */
  readonly known: number
  readonly open: number
  /** Calls that are neither named in the policy nor closed for a reason: `GET /api/… (ccxt)`. */
  readonly undecided: readonly string[]
  /** Calls that the policy names and no SDK knows. */
  readonly unknownToSdks: readonly string[]
}

const tablesOf = (exchange: ExchangeCode) => adapters.ofCode(exchange).map(({ calls }) => calls)

/** Which calls of the SDKs nobody has decided about. */
export function compareCalls(calls: readonly SdkCall[]): CallDiff {
  const sdksOf = new Map<string, { readonly call: SdkCall; readonly sdks: Set<string> }>()
  for (const call of calls) {
    const key = keyOf(call.exchange, `${call.method} ${call.path}`)
    const entry = sdksOf.get(key) ?? { call, sdks: new Set() }
    sdksOf.set(key, entry)
    entry.sdks.add(call.sdk)
  }
  const known = [...sdksOf.values()]
  const open = known.filter(({ call }) => isOpen(call))
  const undecided = known.filter(({ call }) => !isOpen(call) && reasonOf(call) === undefined)
  return {
    known: known.length,
    open: open.length,
    undecided: undecided.map(
      ({ call: { method, path }, sdks }) => `${method} ${path} (${[...sdks].join(', ')})`,
    ),
    unknownToSdks: (['mx', 'bg'] as const).flatMap((exchange) =>
      namedCalls(exchange).filter((call) => !sdksOf.has(keyOf(exchange, call))),
    ),
  }
}

/** Parameters have other names in the SDKs. */
function keyOf(exchange: ExchangeCode, call: string): string {
  return `${exchange} ${call.replaceAll(/\{\w+\}/g, '{}')}`
}

/** A value for each parameter, as a bot would send it. */
const sampleOf = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')

function isOpen({ exchange, method, path }: SdkCall): boolean {
  return tablesOf(exchange).some((calls) => kindOf(calls, method, sampleOf(path)) !== 'never')
}

function reasonOf({ exchange, method, path }: SdkCall): string | undefined {
  const reasons = tablesOf(exchange).map((calls) => closedReason(calls, method, sampleOf(path)))
  return reasons.find((reason) => reason !== undefined)
}

function namedCalls(exchange: ExchangeCode): string[] {
  return tablesOf(exchange).flatMap(({ rows }) =>
    rows.flatMap(([, method, below, names]) =>
      namesIn(names).map((name) => `${method} ${below}${name}`),
    ),
  )
}

export interface CodeDiff {
  readonly known: number
  readonly classed: number
  /** Codes that have no class and are not on the list of those that need none: `bg 40099 (…)`. */
  readonly undecided: readonly string[]
  /** Parts of that list that no unclassed code of ccxt needs. */
  readonly stale: readonly string[]
  /**
   * Codes after which ccxt tries again or looks, and which are a plain rejection here:
   * `bg 45001 (ccxt: ExchangeNotAvailable, here: parameter)`.
   */
  readonly otherwise: readonly string[]
}

const RATES: Readonly<Record<ExchangeCode, ReadonlySet<string>>> = {
  mx: new Set([...SPOT_RATE, ...FUTURES_RATE]),
  bg: BITGET_RATE,
}

/** ccxt's errors that say that nothing is final: too fast, out of order, or a duplicate. */
const NOT_PLAIN = /^(?:RateLimit|DDoS|DuplicateOrder|RequestTimeout|ExchangeNotAvail|OnMaint)/
const NOT_PLAIN_CLASSES = new Set(['rate', 'unknown', 'duplicate', 'maintenance', 'symbol'])

/** Which of ccxt's codes nobody has classed. */
export function compareCodes(codes: readonly SdkCode[]): CodeDiff {
  const withClasses = codes.map((code) => ({ ...code, classes: classesOf(code) }))
  const classed = withClasses.filter(({ classes }) => classes.length > 0)
  const unclassed = withClasses.filter(({ classes }) => classes.length === 0)
  const parts = unclassedCodes.flatMap((group) =>
    partsOf(group).map((part) => ({ exchange: group.exchange, part })),
  )
  const isListed = ({ exchange, code }: SdkCode) =>
    parts.some((each) => each.exchange === exchange && covers(each.part, code))
  const isOfUse = ({ exchange, part }: (typeof parts)[number]) =>
    unclassed.some((each) => each.exchange === exchange && covers(part, each.code))
  return {
    known: codes.length,
    classed: classed.length,
    undecided: unclassed
      .filter((code) => !isListed(code))
      .map(({ exchange, code, error }) => `${exchange} ${code} (ccxt: ${error})`),
    stale: parts
      .filter((each) => !isOfUse(each))
      .map(({ exchange, part }) => `${exchange} ${part}`),
    otherwise: withClasses
      .filter(({ error, classes }) => NOT_PLAIN.test(error) && !classes.some(isNotPlain))
      .map(
        ({ exchange, code, error, classes }) =>
          `${exchange} ${code} (ccxt: ${error}, here: ${classes.join(', ') || 'no class'})`,
      ),
  }
}

const isNotPlain = (name: string) => NOT_PLAIN_CLASSES.has(name)

/** ccxt has one list for all APIs of an exchange: the code may be that of any of them. */
function classesOf({ exchange, code }: SdkCode): string[] {
  if (RATES[exchange].has(code)) return ['rate']
  return adapters.ofCode(exchange).flatMap(({ codes: { classes, unknown } }) => {
    const name = unknown.has(code) ? 'unknown' : classes.get(code)
    return name === undefined ? [] : [name]
  })
}

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
