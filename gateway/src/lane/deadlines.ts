import type { LaneTime } from './lane-time.ts'

// Rejecting runs the callers' code: more at a time would hold up everything else in the process.
const batchMax = 100

/** What Deadlines keeps. */
export interface Expiring {
  readonly deadlineMs: number
  /** Its place in the heap, -1 outside; only Deadlines writes it. */
  heapIndex: number
}

/** Calls `onDue` for each item when its deadline has passed. One timer and a binary heap for all of them. */
export class Deadlines<T extends Expiring> {
  // The parent of #heap[i] is #heap[(i - 1) >> 1] and has no later deadline; item.heapIndex is its place.
  readonly #heap: T[] = []
  readonly #time: LaneTime
  readonly #onDue: (item: T) => void
  #armed: { atMs: number; cancel: () => void } | undefined

  constructor(time: LaneTime, onDue: (item: T) => void) {
    this.#time = time
    this.#onDue = onDue
  }

  add(item: T): void {
    this.#heap.push(item)
    this.#rise(item, this.#heap.length - 1)
    this.#arm()
  }

  /** Nothing happens when `item` is not here, or has come due. */
  remove(item: T): void {
    const index = item.heapIndex
    if (index === -1) return
    item.heapIndex = -1
    const last = this.#heap.pop()
    if (last !== undefined && last !== item) {
      this.#sink(last, index)
      this.#rise(last, last.heapIndex)
    }
    if (this.#heap.length === 0) this.#disarm()
  }

  #arm(): void {
    const first = this.#heap[0]
    if (first === undefined || (this.#armed !== undefined && this.#armed.atMs <= first.deadlineMs))
      return
    this.#disarm()
    const cancel = this.#time.setTimer(
      Math.max(0, first.deadlineMs - this.#time.monotonicMs()),
      () => this.#ring(),
    )
    this.#armed = { atMs: first.deadlineMs, cancel }
  }

  #disarm(): void {
    this.#armed?.cancel()
    this.#armed = undefined
  }

  #ring(): void {
    this.#armed = undefined
    const nowMs = this.#time.monotonicMs()
    for (let count = 0; count < batchMax; count += 1) {
      const first = this.#heap[0]
      if (first === undefined || first.deadlineMs > nowMs) break
      this.remove(first)
      this.#onDue(first)
    }
    this.#arm()
  }

  #rise(item: T, from: number): void {
    let index = from
    while (index > 0) {
      const parent = this.#heap[(index - 1) >> 1]
      if (parent === undefined || parent.deadlineMs <= item.deadlineMs) break
      this.#place(parent, index)
      index = (index - 1) >> 1
    }
    this.#place(item, index)
  }

  #sink(item: T, from: number): void {
    let index = from
    for (;;) {
      const left = this.#heap[2 * index + 1]
      const right = this.#heap[2 * index + 2]
      const child =
        right !== undefined && left !== undefined && right.deadlineMs < left.deadlineMs
          ? right
          : left
      if (child === undefined || child.deadlineMs >= item.deadlineMs) break
      const next = child.heapIndex
      this.#place(child, index)
      index = next
    }
    this.#place(item, index)
  }

  #place(item: T, index: number): void {
    this.#heap[index] = item
    item.heapIndex = index
  }
}
