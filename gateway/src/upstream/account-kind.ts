import type { AccountKind } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { adapters } from '../exchanges/registry.ts'
import { isAccountKindRejection } from './judged-response.ts'

const OTHER_KIND: Readonly<Record<AccountKind, AccountKind>> = {
  classic: 'unified',
  unified: 'classic',
}

/**
 * The kind of the account after a response (docs/exchanges/bitget-unified.md, 1). A rejection
 * because of the kind proves the other kind. A successful call sets a kind that was unknown. Every
 * other response leaves the known kind.
 * @param known null while it is unknown
 */
export function accountKindShownBy(
  call: UpstreamCall,
  verdict: Verdict,
  known: AccountKind | null,
  from = adapters,
): AccountKind | null {
  const kind = from.of(call.family).accountKindOf?.(call)
  if (kind === undefined) return known
  if (isAccountKindRejection({ verdict })) return OTHER_KIND[kind]
  return known === null && verdict.kind === 'ok' ? kind : known
}
