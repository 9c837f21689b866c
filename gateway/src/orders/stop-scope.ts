import { EXCHANGES, type ExchangeCode } from 'schema'
import type { AuditFacts, Author, NewAuditEntry } from '../store/audit-chain.ts'

/** What is stopped: a client, an exchange, or everything. */
export type StopScope =
  | { readonly clientRef: number }
  | { readonly exchange: ExchangeCode }
  | 'everything'

type OfClient = Extract<StopScope, { clientRef: number }>

export function isOfClient(scope: StopScope): scope is OfClient {
  return scope !== 'everything' && 'clientRef' in scope
}

export function exchangesOf(scope: Exclude<StopScope, OfClient>): readonly ExchangeCode[] {
  return scope === 'everything' ? EXCHANGES : [scope.exchange]
}

/** The name of a scope in the store. */
export function nameOf(scope: StopScope): string {
  if (scope === 'everything') return scope
  return isOfClient(scope) ? `client:${scope.clientRef}` : `exchange:${scope.exchange}`
}

/** The scope with this name. */
export function scopeOf(name: string): StopScope {
  const [kind, of = ''] = name.split(':')
  if (kind === 'client') return { clientRef: Number(of) }
  const exchange = EXCHANGES.find((code) => code === of)
  return exchange === undefined ? 'everything' : { exchange }
}

/** Who stops or resumes, why, and what else was asked for. */
export interface StopAct {
  readonly author: Author
  readonly reason?: string
  readonly cancelOrders?: boolean
}

/**
 * The audit entry of a stop or of its end. A stop of everything has one for each exchange.
 * @param name of the client or exchange
 */
export function stopEntry(
  scope: StopScope,
  name: string,
  end: 'stopped' | 'resumed',
  { author, ...asked }: StopAct,
): NewAuditEntry {
  const after: AuditFacts = { ...asked, ...(scope === 'everything' ? { everything: true } : {}) }
  const subjectKind = isOfClient(scope) ? 'client' : 'exchange'
  return { author, action: `${subjectKind}.${end}`, subjectKind, subject: name, after }
}
