/**
 * Counts how many clients have at least k jobs queued, for every k, as a Fenwick tree. Its prefix sum answers in
 * O(log n) what would otherwise be a walk over all clients: how many jobs go in the first k rounds of turns.
 */
export class DepthIndex {
  readonly #tree: Int32Array

  /** Depths beyond `depthMax` count as `depthMax`. */
  constructor(depthMax: number) {
    this.#tree = new Int32Array(depthMax + 1)
  }

  /** A client went from `depth - 1` to `depth` queued jobs. */
  grew(depth: number): void {
    this.#add(depth, 1)
  }

  /** A client went from `depth` to `depth - 1` queued jobs. */
  shrank(depth: number): void {
    this.#add(depth, -1)
  }

  /** The sum over all clients of min(queued jobs, `rounds`). */
  within(rounds: number): number {
    let sum = 0
    for (let k = Math.min(rounds, this.#tree.length - 1); k > 0; k -= k & -k) {
      sum += this.#tree[k] ?? 0
    }
    return sum
  }

  #add(depth: number, change: number): void {
    const size = this.#tree.length
    for (let k = Math.min(depth, size - 1); k < size; k += k & -k) {
      this.#tree[k] = (this.#tree[k] ?? 0) + change
    }
  }
}
