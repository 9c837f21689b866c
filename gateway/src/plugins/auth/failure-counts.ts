import type { AuditFacts, Author } from '../../store/audit-chain.ts'

/** How many entries may be written: some at once, and then one each time it refills. */
export class FailureRate {
  readonly #atOnce: number
  readonly #refillMs: number
  #left: number
  #filledAtMs: number | undefined

  constructor(atOnce: number, refillMs: number) {
    this.#atOnce = atOnce
    this.#refillMs = refillMs
    this.#left = atOnce
  }

  isLeft(nowMs: number): boolean {
    const filledAtMs = this.#filledAtMs ?? nowMs
    const refills = Math.max(0, Math.floor((nowMs - filledAtMs) / this.#refillMs))
    this.#left = Math.min(this.#atOnce, this.#left + refills)
    // A clock that was set back starts anew.
    this.#filledAtMs = nowMs < filledAtMs ? nowMs : filledAtMs + refills * this.#refillMs
    return this.#left > 0
  }

  take(nowMs: number): boolean {
    if (!this.isLeft(nowMs)) return false
    this.#left -= 1
    return true
  }
}

/** How many of the names that somebody gave, and of the addresses, an entry has. */
const EXAMPLES = 10
/** How many of the accounts and clients that exist. */
const KNOWN_MAX = 100

/** The failures of one kind that have no entries of their own. */
export class FailureCount {
  #count = 0
  #sinceMs = Number.POSITIVE_INFINITY
  readonly #names = new Map<string, number>()
  readonly #addresses = new Set<string>()

  add(name: string, { atMs, address }: Author, isKnown: boolean): void {
    this.#count += 1
    this.#sinceMs = Math.min(this.#sinceMs, atMs)
    this.#addNames(name, 1, isKnown ? KNOWN_MAX : EXAMPLES)
    if (this.#addresses.size < EXAMPLES) this.#addresses.add(address ?? '')
  }

  /** Adds what could not be written. */
  addAll(other: FailureCount): void {
    this.#count += other.#count
    this.#sinceMs = Math.min(this.#sinceMs, other.#sinceMs)
    for (const [name, count] of other.#names) this.#addNames(name, count, KNOWN_MAX)
    for (const address of other.#addresses)
      if (this.#addresses.size < EXAMPLES) this.#addresses.add(address)
  }

  /** Who did it, when it was one; and what the entry says. */
  summary(): { readonly who: string; readonly facts: AuditFacts } {
    const names = [...this.#names].map(([name, count]) => ({ name, count }))
    const [first] = names
    const isOne = first !== undefined && first.count === this.#count
    return {
      who: isOne ? first.name : 'several',
      facts: {
        count: this.#count,
        since: new Date(this.#sinceMs).toISOString(),
        names,
        addresses: [...this.#addresses],
      },
    }
  }

  #addNames(name: string, count: number, namesMax: number): void {
    const known = this.#names.get(name)
    if (known === undefined && this.#names.size >= namesMax) return
    this.#names.set(name, (known ?? 0) + count)
  }
}
