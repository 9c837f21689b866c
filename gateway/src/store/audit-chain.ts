import { createHash } from 'node:crypto'
import type { AuditAction } from 'schema'
import type { Tables } from './tables.ts'

export type AuditRow = Tables['auditEntries']['$inferSelect']

/** Who does something, from where, and when. */
export interface Author
  extends Pick<AuditRow, 'atMs' | 'actor' | 'actorKind' | 'session' | 'address' | 'requestId'> {
  /** The approval of another person's request that is carried out: each entry names it. */
  readonly approval?: { readonly id: number; readonly requestedBy: string }
}

/** The gateway itself: what it does without a person. */
export function gatewayAuthor(atMs: number): Author {
  return {
    atMs,
    actor: 'gateway',
    actorKind: 'gateway',
    session: null,
    address: null,
    requestId: null,
  }
}

/** What an entry tells of a thing: plain values, never a secret. */
export type AuditFacts = Readonly<Record<string, unknown>>

/** What was done to what. */
export interface AuditAct {
  readonly action: AuditAction
  readonly subjectKind: string
  /** The name of what it was done to, as people know it. */
  readonly subject: string
  readonly before?: AuditFacts | null
  readonly after?: AuditFacts | null
}

export interface NewAuditEntry extends AuditAct {
  readonly author: Author
}

/** The last entry. A copy kept elsewhere shows when the end of the trail was cut off. */
export type AuditHead = Pick<AuditRow, 'id' | 'hash'>

/** What the first entry has in place of the hash of the one before. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64)

/** The columns of an entry that its hash covers, in this order. */
export const HASHED = [
  'id',
  'atMs',
  'actor',
  'actorKind',
  'session',
  'address',
  'action',
  'subjectKind',
  'subject',
  'before',
  'after',
  'requestId',
  'previousHash',
] as const satisfies readonly (keyof AuditRow)[]

/**
 * The JSON array of all columns but the hash. `before` and `after` are in it as the texts that are
 * stored, so nothing has to be written the same way twice.
 */
export function hashedTextOf(row: Omit<AuditRow, 'hash'>): string {
  return JSON.stringify(HASHED.map((column) => row[column]))
}

/** SHA-256, in hex, of that text. */
export function hashOf(row: Omit<AuditRow, 'hash'>): string {
  return createHash('sha256').update(hashedTextOf(row)).digest('hex')
}

/**
 * The row of a new entry.
 * @param previous the last entry; undefined for the first one
 */
export function toAuditRow(
  { author, before, after, ...act }: NewAuditEntry,
  id: number,
  previous: AuditHead | undefined,
): AuditRow {
  const { atMs, actorKind, approval } = author
  const row = {
    id,
    ...{ atMs, actor: storable(author.actor), actorKind },
    ...{ session: storableOrNull(author.session), address: storableOrNull(author.address) },
    ...{ action: act.action, subjectKind: act.subjectKind, subject: storable(act.subject) },
    before: toText(before),
    after: toText(approval === undefined ? after : { ...after, approval }),
    requestId: storableOrNull(author.requestId),
    previousHash: previous?.hash ?? FIRST_PREVIOUS_HASH,
  }
  return { ...row, hash: hashOf(row) }
}

/**
 * A text as it is read again, which is what the hash is made of: no database stores half of a
 * surrogate pair, and PostgreSQL no NUL. The JSON of `before` and `after` escapes both.
 */
const storable = (text: string) => text.replaceAll('\0', '\u{fffd}').toWellFormed()

const storableOrNull = (text: string | null) => (text === null ? null : storable(text))

function toText(facts: AuditFacts | null | undefined): string | null {
  return facts === null || facts === undefined ? null : JSON.stringify(facts)
}
