import type { Slot } from '../lane/job.ts'
import { type LifeEvent, type NewLifeEvent, writeLifeEvents } from '../store/life-event.ts'

/** More look-ups are counted, but not listed one by one. */
const LOOKUPS_LISTED = 60

/**
 * Collects what happens to an order in memory. The commits that change the order's state take it
 * along: it has none of its own.
 */
export class OrderLife {
  readonly #createdAtMs: number
  readonly #nowMs: () => number
  #unwritten: LifeEvent[] = []
  #lookups = 0

  constructor(createdAtMs: number, nowMs: () => number) {
    this.#createdAtMs = createdAtMs
    this.#nowMs = nowMs
  }

  /** What no commit has taken along yet. */
  get unwritten(): readonly LifeEvent[] {
    return this.#unwritten
  }

  note(event: NewLifeEvent): void {
    if (event.type === 'lookup') {
      this.#lookups += 1
      if (this.#lookups > LOOKUPS_LISTED && event.found !== 'found') return
    }
    this.#unwritten.push({ ...event, ms: this.#nowMs() - this.#createdAtMs })
  }

  /**
   * Hands the unwritten events to a write, and takes them back when it fails.
   * @throws the error of the write
   */
  async write(writing: (events: string) => Promise<void>): Promise<void> {
    const taken = this.#unwritten
    this.#unwritten = []
    try {
      await writing(writeLifeEvents(taken))
    } catch (error) {
      this.#unwritten = [...taken, ...this.#unwritten]
      throw error
    }
  }

  /** The unwritten events, for a write that is repeated until it succeeds. */
  take(): string {
    const taken = this.#unwritten
    this.#unwritten = []
    return writeLifeEvents(taken)
  }
}

/** The slot; in the order's life it is noted when the bytes are on the socket. */
export function withLifeEvents(slot: Slot, life: OrderLife): Slot {
  return {
    ...slot,
    onSent() {
      life.note({ type: 'sent' })
      slot.onSent()
    },
  }
}
