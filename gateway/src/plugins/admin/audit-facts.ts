import type { ApiKeyRow } from '../../store/api-key-store.ts'
import type { AuditAct, AuditFacts, Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { ClientRow } from '../../store/client-store.ts'

/** In place of a secret: the trail shows that there is one. */
const MASKED = '***'

/** What the trail keeps of a client. Its limits have entries of their own. */
export function clientFacts(row: ClientRow): AuditFacts {
  const { description, active, permissions, secretPreview } = row
  return { description, isActive: active, permissions, secretPreview }
}

/** What the trail keeps of exchange keys. */
export function keyFacts(row: ApiKeyRow): AuditFacts {
  const { exchange, note, passphraseSealed, testStatus, accountKind } = row
  return {
    exchange,
    apiKey: MASKED,
    apiSecret: MASKED,
    passphrase: passphraseSealed === null ? null : MASKED,
    ...{ note, testStatus, accountKind, canWithdraw: row.canWithdraw },
    createdAt: new Date(row.createdAtMs).toISOString(),
  }
}

/** An entry about a client. */
export function aboutClient(
  author: Author,
  clientId: string,
  what: Pick<AuditAct, 'action' | 'before' | 'after'>,
): NewAuditEntry {
  return { author, subjectKind: 'client', subject: clientId, ...what }
}

/**
 * Does what no transaction can hold together with its entry: an entry `…-requested` is written
 * first, and one with the result follows.
 * @throws StoreUnwritableError before anything was done, and what the act throws
 */
export async function recordAround<T extends AuditFacts>(
  audit: Pick<AuditStore, 'append'>,
  entry: NewAuditEntry,
  act: () => T,
): Promise<T> {
  await audit.append({ ...entry, action: `${entry.action}-requested` })
  const result = act()
  await audit.append({ ...entry, after: { ...entry.after, ...result } })
  return result
}
