/** Turns by name: whoever takes one after another gets it when the other has ended. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Resolves when the turns taken before have ended; the caller then calls what it resolves to, once.
   * @param wait waits for the turns before; when it rejects, the turn ends and that is the error
   */
  async take(
    name: string,
    wait: (before: Promise<unknown>) => Promise<unknown> = (before) => before,
  ): Promise<() => void> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const { promise: mine, resolve: end } = Promise.withResolvers<void>()
    // Who leaves early still keeps its place: the next one waits for those before it too.
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
