/** Turns by name: each one starts when the previous one with the same name has ended. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Waits for all earlier turns of the name.
   * @param wait waits for the earlier turns; when it rejects, this turn ends with that error
   * @returns a function that ends the turn; call it once
   */
  async take(
    name: string,
    wait: (before: Promise<unknown>) => Promise<unknown> = (before) => before,
  ): Promise<() => void> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const { promise: mine, resolve: end } = Promise.withResolvers<void>()
    // A turn that ends early still keeps its place: the next one also waits for the turns before
    // it.
    const last = Promise.all([before, mine]).then(() => {
      if (this.#last.get(name) === last) this.#last.delete(name)
    })
    this.#last.set(name, last)
    try {
      await wait(before)
    } catch (error) {
      end()
      throw error
    }
    return end
  }
}
