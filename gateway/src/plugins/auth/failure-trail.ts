import type { FastifyRequest } from 'fastify'
import { pathOf } from '../../http/errors.ts'
import type { RoleForbiddenError } from '../../http/role.ts'
import { withoutSecrets } from '../../http/without-secrets.ts'
import type { AuditFacts, Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { Time, Timer } from '../../time.ts'

export interface FailureTrailDeps {
  readonly audit: Pick<AuditStore, 'append'>
  readonly time: Pick<Time, 'now' | 'setTimeout'>
  /** Called when an entry cannot be written. The failure is counted then. */
  readonly onError: (error: unknown) => void
}

/** What failed, and what it was about. Each has a budget of its own: no kind can hide another. */
const SUBJECT_KINDS = {
  'sign-in.failed': 'admin',
  'sign-in.second-factor-needed': 'admin',
  'confirm.failed': 'admin',
  'role.refused': 'endpoint',
  'token.failed': 'client',
  'token.refused': 'client',
} as const
type FailedAction = keyof typeof SUBJECT_KINDS

interface Counted {
  count: number
  readonly sinceMs: number
  /** Some of the names that were tried, and of the addresses. */
  readonly subjects: Set<string>
  readonly addresses: Set<string>
}

interface Budget {
  /** How many entries may be written now. */
  left: number
  filledAtMs: number
  counted: Counted | undefined
}

/** At once, and then one per minute. */
const ENTRIES = 30
const REFILL_MS = 60_000
/** A flood is summed up once an hour. */
const SUM_UP_MS = 3_600_000
const EXAMPLES = 10
const TEXT_MAX = 320

/**
 * Writes failed sign-ins, token requests and what a role did not cover to the audit trail. Anybody
 * can cause them, and entries are kept for ever: of each kind 30 are written at once and then one
 * per minute, and one entry per hour counts the rest. A flood of a day adds less than 1,500 entries
 * of a kind.
 */
export class FailureTrail {
  readonly #deps: FailureTrailDeps
  readonly #budgets = new Map<FailedAction, Budget>()
  #timer: Timer | undefined

  constructor(deps: FailureTrailDeps) {
    this.#deps = deps
  }

  /** An administrator could not sign in. */
  signInFailed(author: Author, email: string, error: unknown): Promise<void> {
    return this.#failed('sign-in.failed', anonymous(author, email), email, factsOf(error))
  }

  /** The right password was given, and a second factor is waited for. */
  secondFactorAwaited(author: Author, email: string): Promise<void> {
    return this.#failed('sign-in.second-factor-needed', anonymous(author, email), email, {})
  }

  /** A token was requested with a wrong client id or secret. */
  secretRefused(author: Author, clientId: string, error: unknown): Promise<void> {
    return this.#failed('token.failed', anonymous(author, clientId), clientId, factsOf(error))
  }

  /** A token was requested with the right secret, and refused. */
  tokenRefused(author: Author, clientId: string, error: unknown): Promise<void> {
    return this.#failed('token.refused', anonymous(author, clientId), clientId, factsOf(error))
  }

  /** An administrator showed a wrong factor in a valid session. */
  confirmFailed(author: Author, email: string, error: unknown): Promise<void> {
    return this.#failed('confirm.failed', author, email, factsOf(error))
  }

  /** The role of an administrator does not cover what was asked for. */
  roleRefused(
    author: Author,
    { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
    error: RoleForbiddenError,
  ): Promise<void> {
    const facts = { ...factsOf(error), neededRole: error.role }
    return this.#failed('role.refused', author, `${method} ${pathOf(url)}`, facts)
  }

  /** Sums up what was only counted. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    for (const action of this.#budgets.keys()) await this.#sumUp(action)
  }

  async #failed(
    action: FailedAction,
    author: Author,
    subject: string,
    after: AuditFacts,
  ): Promise<void> {
    const budget = this.#budgetOf(action)
    if (budget.counted !== undefined && author.atMs - budget.counted.sinceMs >= SUM_UP_MS)
      await this.#sumUp(action)
    // Somebody may have given the secret as the name: entries are kept for ever.
    const name = withoutSecrets(subject).slice(0, TEXT_MAX)
    if (budget.left < 1) return this.#count(budget, name, author)
    budget.left -= 1
    const isWritten = await this.#write({
      ...{ author, action, subjectKind: SUBJECT_KINDS[action], subject: name, after },
    })
    if (!isWritten) this.#count(budget, name, author)
  }

  #budgetOf(action: FailedAction): Budget {
    const nowMs = this.#deps.time.now()
    const known = this.#budgets.get(action)
    if (known === undefined) {
      const budget = { left: ENTRIES, filledAtMs: nowMs, counted: undefined }
      this.#budgets.set(action, budget)
      return budget
    }
    const refills = Math.max(0, Math.floor((nowMs - known.filledAtMs) / REFILL_MS))
    known.left = Math.min(ENTRIES, known.left + refills)
    // A clock that was set back starts anew.
    known.filledAtMs = nowMs < known.filledAtMs ? nowMs : known.filledAtMs + refills * REFILL_MS
    return known
  }

  #count(budget: Budget, subject: string, { atMs, address }: Author): void {
    budget.counted ??= { count: 0, sinceMs: atMs, subjects: new Set(), addresses: new Set() }
    const { counted } = budget
    counted.count += 1
    if (counted.subjects.size < EXAMPLES) counted.subjects.add(subject)
    if (counted.addresses.size < EXAMPLES) counted.addresses.add(address ?? '')
    // Sums up the end of a flood as well.
    this.#timer ??= this.#deps.time.setTimeout(() => void this.close(), SUM_UP_MS).unref()
  }

  async #sumUp(action: FailedAction): Promise<void> {
    const budget = this.#budgets.get(action)
    const counted = budget?.counted
    if (budget === undefined || counted === undefined) return
    budget.counted = undefined
    const { count, sinceMs, subjects, addresses } = counted
    const isWritten = await this.#write({
      author: {
        ...{ atMs: this.#deps.time.now(), actor: 'several', actorKind: 'anonymous' },
        ...{ session: null, address: null, requestId: null },
      },
      action: `${action}-counted`,
      ...{ subjectKind: SUBJECT_KINDS[action], subject: 'several' },
      after: {
        count,
        since: new Date(sinceMs).toISOString(),
        subjects: [...subjects],
        addresses: [...addresses],
      },
    })
    if (isWritten) return
    // More may have been counted meanwhile.
    const newer = budget.counted as Counted | undefined
    budget.counted = { ...counted, count: count + (newer?.count ?? 0) }
  }

  async #write(entry: NewAuditEntry): Promise<boolean> {
    try {
      await this.#deps.audit.append(entry)
      return true
    } catch (error) {
      this.#deps.onError(error)
      return false
    }
  }
}

/** Who is not known: the name that was given stands in for it. */
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
