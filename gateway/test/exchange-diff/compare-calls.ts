import type { ExchangeCode } from '../../src/exchanges/exchange.ts'
import { bitgetPolicy } from '../../src/exchanges/policy/bitget.ts'
import { mexcPolicy } from '../../src/exchanges/policy/mexc.ts'
import { closedReason, kindOf, namesIn, type Policy } from '../../src/exchanges/policy/rules.ts'
import type { SdkCall } from './sdk-tables.ts'

export interface CallDiff {
  /** How many calls the SDKs know, and how many of them are open. */
  readonly known: number
  readonly open: number
  /** Calls that are neither named in the policy nor closed for a reason: `GET /api/… (ccxt)`. */
  readonly undecided: readonly string[]
  /** Calls that the policy names and no SDK knows. */
  readonly unknownToSdks: readonly string[]
}

const POLICIES: Readonly<Record<ExchangeCode, Policy>> = { mx: mexcPolicy, bg: bitgetPolicy }

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
      namedCalls(POLICIES[exchange]).filter((call) => !sdksOf.has(keyOf(exchange, call))),
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
  return kindOf(POLICIES[exchange], method, sampleOf(path)) !== 'never'
}

function reasonOf({ exchange, method, path }: SdkCall): string | undefined {
  return closedReason(POLICIES[exchange], method, sampleOf(path))
}

function namedCalls({ lines }: Policy): string[] {
  return lines.flatMap(([, method, below, names]) =>
    namesIn(names).map((name) => `${method} ${below}${name}`),
  )
}
