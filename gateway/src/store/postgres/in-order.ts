/**
 * Makes the writes that concern the same thing in the order in which they were asked for. In SQLite
 * all writes are in one order; here each one may have a connection of its own, and an order that is
 * `sent` could arrive before the order itself.
 */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a write when the earlier ones with any of these names have ended, however they ended. */
  run<T>(names: readonly string[], write: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? [])
    const written = before.length === 0 ? write() : Promise.all(before).then(write)
    const last: Promise<void> = written.then(
      () => this.#forget(names, last),
      () => this.#forget(names, last),
    )
    for (const name of names) this.#last.set(name, last)
    return written
  }

  #forget(names: readonly string[], last: Promise<unknown>): void {
    for (const name of names) if (this.#last.get(name) === last) this.#last.delete(name)
  }
}
