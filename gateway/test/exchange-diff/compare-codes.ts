import { BITGET_RATE } from '../../src/exchanges/bitget/rejection-codes.ts'
import type { ExchangeCode } from '../../src/exchanges/exchange.ts'
import { FUTURES_RATE } from '../../src/exchanges/mexc-futures/rejection-codes.ts'
import { SPOT_RATE } from '../../src/exchanges/mexc-spot/rejection-codes.ts'
import { adapters } from '../../src/exchanges/registry.ts'
import type { SdkCode } from './sdk-tables.ts'
import { covers, partsOf, unclassedCodes } from './unclassed-codes.ts'

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
