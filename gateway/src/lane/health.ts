import { AccountPauses, BackOff, type RateLimitHit } from './back-off.ts'
import { Accounts, Breaker, type BreakerState } from './breaker.ts'
import type { Job } from './job.ts'
import type { HeldAccount, LaneEvent, LaneVerdict, Outcome } from './lane-types.ts'

/** How one call ended, what that says about the exchange, and its times on the monotonic clock. */
export interface CallResult<A> {
  readonly outcome: Outcome<A>
  readonly verdict: LaneVerdict
  readonly job: Pick<Job<A>, 'clientId' | 'account' | 'isSigned'>
  readonly sentMs: number
  readonly nowMs: number
}

export interface HealthOptions {
  readonly name: string
  readonly random: () => number
  readonly report: (event: LaneEvent) => void
  /** The breaker opened: what is queued has nothing to wait for. */
  readonly onBroken: () => void
  /** The breaker of an account opened: its queued calls have nothing to wait for. */
  readonly onAccountBroken: (account: string) => void
  /** Calls of one client fail: a call of the gateway's own shows whether the exchange is down. */
  readonly onSuspected: () => void
}

/** What the lane knows about its exchange from the calls that ended. */
export class Health {
  readonly #options: HealthOptions
  readonly #backOff: BackOff
  readonly #breaker = new Breaker()
  readonly accounts = new Accounts()
  readonly accountPauses: AccountPauses
  #isThrottled = false
  #lastError: { readonly message: string; readonly atMs: number } | undefined

  constructor(options: HealthOptions) {
    this.#options = options
    this.#backOff = new BackOff(options.random)
    this.accountPauses = new AccountPauses(options.random)
  }

  /** The part of the rate that is used now, up to 1. */
  get rateFactor(): number {
    return this.#backOff.rateFactor
  }

  /** Nothing is sent before this moment. */
  get pausedUntilMs(): number {
    return this.#backOff.pausedUntilMs
  }

  get lastError(): { readonly message: string; readonly atMs: number } | undefined {
    return this.#lastError
  }

  breakerState(nowMs: number): BreakerState {
    return this.#breaker.state(nowMs)
  }

  /** Whether the last call failed. */
  isFailing(nowMs: number): boolean {
    return this.#breaker.isFailing(nowMs)
  }

  /** The time until a probe may be sent; 0 when calls may be sent. */
  coolDownMs(nowMs: number): number {
    return this.#breaker.coolDownMs(nowMs)
  }

  heldAccounts(nowMs: number): HeldAccount[] {
    return [...this.accounts.held(nowMs), ...this.accountPauses.held(nowMs)]
  }

  learn<A>(result: CallResult<A>): void {
    const { outcome, verdict, job, sentMs, nowMs } = result
    if (verdict.kind === 'down') {
      const { why = 'no reason is known' } = verdict
      this.note(messageOf(outcome, `${this.#options.name} sent no usable response: ${why}`), nowMs)
      this.#learnDown(job, verdict.isCertain === true, nowMs)
      return
    }
    this.#learnUp(job)
    if (verdict.kind === 'rate-limited') {
      this.note(
        messageOf(outcome, `${this.#options.name} rejected a call because of its rate limit`),
        nowMs,
      )
      const hit = { sentMs, nowMs, retryAfterMs: verdict.retryAfterMs }
      this.#learnLimit(job, verdict.isCertain === true, hit)
      return
    }
    this.#backOff.accepted(sentMs)
    this.accountPauses.accepted(job.account, sentMs)
    if (this.rateFactor === 1) this.#recover()
  }

  /** Remembers the last thing that went wrong, for the snapshot. */
  note(message: string, atMs: number): void {
    this.#lastError = { message, atMs }
  }

  #learnUp({ account, clientId, isSigned = false }: CallResult<never>['job']): void {
    const { name: lane, report } = this.#options
    if (this.#breaker.up()) report({ type: 'mended', lane })
    if (this.accounts.up(account)) report({ type: 'account-mended', lane, clientId, isSigned })
  }

  /**
   * A call that the client itself may have made fail counts for its account first, and for the
   * exchange together with those of others.
   */
  #learnDown(
    { account, clientId, isSigned = false }: CallResult<never>['job'],
    isCertain: boolean,
    nowMs: number,
  ): void {
    const isOfAccount = account !== undefined && !isCertain
    const isAlone = this.#breaker.state(nowMs) === 'closed'
    const result = this.#breaker.down(nowMs, isOfAccount ? clientId : undefined)
    if (result === 'opened') {
      this.accounts.clear()
      this.#break(nowMs)
      return
    }
    // Where the exchange is down, the failure says nothing about the account.
    if (isOfAccount && isAlone && this.accounts.down(account, clientId, nowMs)) {
      const forMs = Math.round(this.accounts.coolDownMs(account, nowMs))
      const { name: lane, report } = this.#options
      report({ type: 'account-broken', lane, clientId, isSigned, forMs })
      this.#options.onAccountBroken(account)
    }
    if (result === 'suspected') this.#options.onSuspected()
  }

  /**
   * A rejected call that is signed pauses its account alone. It pauses and slows the lane when
   * another client was rejected a moment ago too, or when the call is not an account's.
   */
  #learnLimit(job: CallResult<never>['job'], isCertain: boolean, hit: RateLimitHit): void {
    const { account, clientId, isSigned } = job
    const { nowMs } = hit
    const isOfAccount = account !== undefined && isSigned === true && !isCertain
    if (isOfAccount && !this.accountPauses.isAgreed(clientId, nowMs)) {
      this.#pauseAccount(account, clientId, hit)
      return
    }
    const wasPaused = this.pausedUntilMs > nowMs
    this.#backOff.limited(hit)
    this.accountPauses.remember(clientId, this.pausedUntilMs)
    this.#throttle(nowMs)
    if (wasPaused || this.pausedUntilMs <= nowMs) return
    const forMs = Math.round(this.pausedUntilMs - nowMs)
    this.#options.report({ type: 'paused', lane: this.#options.name, forMs })
  }

  #pauseAccount(account: string, clientId: string, hit: RateLimitHit): void {
    const { nowMs } = hit
    const wasPaused = this.accountPauses.isPaused(account, nowMs)
    this.accountPauses.limited(account, clientId, hit)
    const untilMs = this.accountPauses.pausedUntilMs(account)
    this.accountPauses.remember(clientId, untilMs)
    if (wasPaused || untilMs <= nowMs) return
    const { name: lane, report } = this.#options
    report({ type: 'account-paused', lane, clientId, forMs: Math.round(untilMs - nowMs) })
  }

  #throttle(nowMs: number): void {
    if (this.#isThrottled) return
    this.#isThrottled = true
    const forMs = Math.round(this.pausedUntilMs - nowMs)
    this.#options.report({ type: 'throttled', lane: this.#options.name, forMs })
  }

  #recover(): void {
    if (!this.#isThrottled) return
    this.#isThrottled = false
    this.#options.report({ type: 'recovered', lane: this.#options.name })
  }

  #break(nowMs: number): void {
    const forMs = Math.round(this.coolDownMs(nowMs))
    this.#options.report({ type: 'broken', lane: this.#options.name, forMs })
    this.#options.onBroken()
  }
}

function messageOf<A>(outcome: Outcome<A>, otherwise: string): string {
  return 'error' in outcome && outcome.error instanceof Error ? outcome.error.message : otherwise
}
