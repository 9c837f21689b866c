import type { ExchangeCode, HttpMethod } from '../exchange.ts'
import { bitgetPolicy } from './bitget.ts'
import { mexcPolicy } from './mexc.ts'
import type { CallKind } from './rules.ts'

const POLICIES = { mx: mexcPolicy, bg: bitgetPolicy } as const

/** What a call does; `never` for everything that no rule names. @param path plain (`isPlainPath`) */
export function kindOf(exchange: ExchangeCode, method: HttpMethod, path: string): CallKind {
  const rule = POLICIES[exchange].find((each) => each.method === method && each.path.test(path))
  return rule?.kind ?? 'never'
}
