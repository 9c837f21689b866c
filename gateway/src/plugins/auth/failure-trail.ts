import type { FastifyRequest } from 'fastify'
import type { Parts } from '../../app/create-parts.ts'
import type { RoleForbiddenError } from '../../http/errors.ts'
import { pathOf } from '../../http/errors.ts'
import { withoutSecrets } from '../../http/shown-text.ts'
import type { AuditFacts, Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { Timer } from '../../time.ts'
import { type FreshFactorNeededError, TooManyAttemptsError } from './errors.ts'
import { FailureCount, FailureRate } from './failure-counts.ts'

interface FailureTrailParts extends Pick<Parts, 'stores' | 'time'> {
  /** Called when an entry cannot be written. The failure is counted then. */
  readonly onError: (error: unknown) => void
}

/** What failed, and what it was about. */
const SUBJECT_KINDS = {
  'sign-in.failed': 'admin',
  'sign-in.second-factor-needed': 'admin',
  'confirm.failed': 'admin',
  'confirm.needed': 'endpoint',
  'role.refused': 'endpoint',
  'token.failed': 'client',
  'token.refused': 'client',
} as const
type FailedAction = keyof typeof SUBJECT_KINDS

interface Failure {
  readonly action: FailedAction
  readonly author: Author
  readonly subject: string
  /** The account or client that exists; undefined: somebody gave a name. */
  readonly known: string | undefined
  readonly after: AuditFacts
}

type RefusedRequest = Pick<FastifyRequest, 'method' | 'url'>

/** Each that exists has this many at once, and then one per minute; all other names share one. */
const ENTRIES = { atOnce: 30, refillMs: 60_000 }
/** All accounts and clients together: an attacker who knows many names cannot fill the disk. */
const ENTRIES_OF_KNOWN = { atOnce: 300, refillMs: 6_000 }
const COUNTED_EVERY_MS = 60_000
const TEXT_MAX = 320

/**
 * Writes failed sign-ins, token requests, and what a role or a session did not cover to the audit
 * trail. Anybody can cause them, and entries are kept for ever. So each kind has limits: for each
 * account and client that exists, so that no flood of one hides the failures of another, and for
 * all other names together. Further failures are counted, and the counts are written every minute.
 */
export class FailureTrail {
  readonly #parts: FailureTrailParts
  readonly #rates = new Map<string, FailureRate>()
  readonly #counts = new Map<FailedAction, FailureCount>()
  #timer: Timer | undefined
  #isClosed = false
  #written: Promise<unknown> = Promise.resolve()

  constructor(parts: FailureTrailParts) {
    this.#parts = parts
  }

  /**
   * An administrator could not sign in. Nothing waits for the entry: the time of the response would
   * tell whether the account exists.
   */
  signInFailed(author: Author, email: string, error: unknown): void {
    const failure = { author: anonymous(author, email), subject: email, after: factsOf(error) }
    this.#unawaited(async () => {
      const known = await this.#accountOf(email, error)
      await this.#failed({ ...failure, action: 'sign-in.failed', known })
    })
  }

  /** The right password was given, and a second factor is waited for. */
  secondFactorAwaited(author: Author, email: string): Promise<void> {
    const action = 'sign-in.second-factor-needed'
    const known = email.toLowerCase()
    const failure = { author: anonymous(author, email), subject: email, known, after: {} }
    return this.#failed({ ...failure, action })
  }

  /** A token was requested with a wrong client id or secret. Nothing waits for the entry. */
  secretRefused(author: Author, clientId: string, error: unknown): void {
    const after = factsOf(error)
    const failure = { author: anonymous(author, clientId), subject: clientId, after }
    this.#unawaited(async () => {
      const known = (await this.#parts.stores.clients.findByClientId(clientId))?.clientId
      await this.#failed({ ...failure, action: 'token.failed', known })
    })
  }

  /** A token was requested with the right secret, and refused. */
  tokenRefused(author: Author, clientId: string, error: unknown): Promise<void> {
    const after = factsOf(error)
    const by = anonymous(author, clientId)
    const failure = { author: by, subject: clientId, known: clientId, after }
    return this.#failed({ ...failure, action: 'token.refused' })
  }

  /** An administrator showed a wrong factor in a valid session. */
  confirmFailed(author: Author, email: string, error: unknown): Promise<void> {
    const failure = { author, subject: email, known: email.toLowerCase(), after: factsOf(error) }
    return this.#failed({ ...failure, action: 'confirm.failed' })
  }

  /** The role of an administrator does not cover what was asked for. */
  roleRefused(author: Author, request: RefusedRequest, error: RoleForbiddenError): Promise<void> {
    const after = { ...factsOf(error), neededRole: error.role }
    return this.#failed({ ...ofEndpoint(author, request), after, action: 'role.refused' })
  }

  /** What was asked for needs a fresh factor: the session may be in the hands of a thief. */
  factorNeeded(
    author: Author,
    request: RefusedRequest,
    error: FreshFactorNeededError,
  ): Promise<void> {
    const after = factsOf(error)
    return this.#failed({ ...ofEndpoint(author, request), after, action: 'confirm.needed' })
  }

  /** Resolves when each failure until now has its entry, or is counted. */
  async written(): Promise<void> {
    await this.#written
  }

  /** Writes what was only counted. */
  async close(): Promise<void> {
    await this.#written
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#writeCounts()
  }

  #unawaited(record: () => Promise<void>): void {
    const recorded = record().catch((error: unknown) => this.#parts.onError(error))
    this.#written = Promise.all([this.#written, recorded]).then(() => undefined)
  }

  /** @returns the name of an account that exists */
  async #accountOf(email: string, error: unknown): Promise<string | undefined> {
    const account = email.toLowerCase()
    // It was refused unread, and a flood of these must not read the database.
    if (error instanceof TooManyAttemptsError)
      return this.#rates.has(rateKey('sign-in.failed', account)) ? account : undefined
    return (await this.#parts.stores.admins.findByEmail(email)) && account
  }

  async #failed(failure: Failure): Promise<void> {
    const { action, author, after, known } = failure
    // Somebody may have given the secret as the name: entries are kept for ever.
    const subject = withoutSecrets(failure.subject).slice(0, TEXT_MAX)
    const entry = { author, action, subjectKind: SUBJECT_KINDS[action], subject, after }
    if (this.#mayWrite(action, known) && (await this.#write(entry))) return
    this.#countOf(action).add(known ?? author.actor, author, known !== undefined)
    this.#writeCountsLater()
  }

  #mayWrite(action: FailedAction, known: string | undefined): boolean {
    const nowMs = this.#parts.time.now()
    const own = this.#rateOf(rateKey(action, known), ENTRIES)
    if (known === undefined) return own.take(nowMs)
    return (
      own.isLeft(nowMs) && this.#rateOf(action, ENTRIES_OF_KNOWN).take(nowMs) && own.take(nowMs)
    )
  }

  #rateOf(key: string, { atOnce, refillMs }: typeof ENTRIES): FailureRate {
    const rate = this.#rates.get(key) ?? new FailureRate(atOnce, refillMs)
    this.#rates.set(key, rate)
    return rate
  }

  #countOf(action: FailedAction): FailureCount {
    const count = this.#counts.get(action) ?? new FailureCount()
    this.#counts.set(action, count)
    return count
  }

  #writeCountsLater(): void {
    const { time } = this.#parts
    if (this.#isClosed) return
    this.#timer ??= time.setTimeout(() => void this.#writeCounts(), COUNTED_EVERY_MS).unref()
  }

  async #writeCounts(): Promise<void> {
    this.#timer = undefined
    for (const [action, count] of [...this.#counts]) {
      this.#counts.delete(action)
      const { who, facts } = count.summary()
      const isWritten = await this.#write({
        author: {
          ...{ atMs: this.#parts.time.now(), actor: who, actorKind: 'anonymous' },
          ...{ session: null, address: null, requestId: null },
        },
        action: `${action}-counted`,
        subjectKind: SUBJECT_KINDS[action],
        subject: SUBJECT_KINDS[action] === 'endpoint' ? 'several' : who,
        after: facts,
      })
      if (isWritten) continue
      // More may have been counted since.
      this.#countOf(action).addAll(count)
      this.#writeCountsLater()
    }
  }

  async #write(entry: NewAuditEntry): Promise<boolean> {
    try {
      await this.#parts.stores.audit.append(entry)
      return true
    } catch (error) {
      this.#parts.onError(error)
      return false
    }
  }
}

function ofEndpoint(author: Author, { method, url }: RefusedRequest) {
  return { author, subject: `${method} ${pathOf(url)}`, known: author.actor.toLowerCase() }
}

const rateKey = (action: FailedAction, known = '') => `${action} ${known}`

/** Nobody knows who it is: the entry has the name that was given. */
function anonymous(author: Author, name: string): Author {
  return { ...author, actor: withoutSecrets(name).slice(0, TEXT_MAX), actorKind: 'anonymous' }
}

function factsOf(error: unknown): AuditFacts {
  const isCoded = error instanceof Error && 'code' in error
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  return {
    code: isCoded ? String(error.code) : 'INTERNAL_ERROR',
    ...(reason === '' ? {} : { reason: reason.slice(0, TEXT_MAX) }),
  }
}
