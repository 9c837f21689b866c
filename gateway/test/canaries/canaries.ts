import { createSearch, formsOfBytes, formsOfText, type Needle } from './search.ts'

/** Something that came out of the product: a response, a log, a post, a file. */
export interface Outlet {
  readonly where: string
  readonly bytes: Buffer
}

/** A place where a secret is meant to come out, and why. */
export interface Showing {
  readonly where: string
  readonly reason: string
}

/** Secrets that are recognised wherever they come out, and everything that came out. */
export class Canaries {
  readonly #needles: Needle[] = []
  readonly #showings = new Map<string, Showing[]>()
  readonly #planted = new Map<string, string[]>()
  readonly outlets: Outlet[] = []

  /**
   * Plants a text as the secret of a place, and returns it.
   * @param place such as `env METRICS_TOKEN` or `clients.secret_hash`
   * @param shown where it is meant to come out; nowhere when absent
   */
  plant(place: string, text: string, ...shown: readonly Showing[]): string {
    this.#add(place, (name) => formsOfText(name, text), shown)
    return text
  }

  plantBytes(place: string, bytes: Buffer, ...shown: readonly Showing[]): void {
    this.#add(place, (name) => formsOfBytes(name, bytes), shown)
  }

  /** The places that have a canary. */
  get places(): ReadonlySet<string> {
    return new Set(this.#planted.keys())
  }

  collect(where: string, bytes: Buffer | string): void {
    this.outlets.push({ where, bytes: Buffer.from(bytes) })
  }

  /**
   * Every secret that is where it is not meant to be, and every showing that did not happen: one
   * sentence for each.
   */
  problems(): string[] {
    const search = createSearch(this.#needles)
    const seen = new Set<string>()
    const leaks = this.outlets.flatMap(({ where, bytes }) =>
      [...Map.groupBy(search(bytes), ({ canary }) => canary)].flatMap(([canary, hits]) => {
        const showings = this.#showings.get(canary) ?? []
        if (showings.some((showing) => showing.where === where)) {
          seen.add(`${canary} in ${where}`)
          return []
        }
        const forms = hits.map(({ form }) => form).join()
        const [{ at, found } = { at: 0, found: bytes }] = hits
        const around = bytes.subarray(Math.max(0, at - 80), at + found.length + 40)
        return [`${canary} in ${where}, ${forms}: …${around.toString('latin1')}…`]
      }),
    )
    const missing = [...this.#showings].flatMap(([canary, showings]) =>
      showings
        .filter(({ where }) => !seen.has(`${canary} in ${where}`))
        .map(({ where, reason }) => `${canary} is not in ${where}, although ${reason}`),
    )
    return [...leaks, ...missing]
  }

  #add(
    place: string,
    toNeedles: (name: string) => readonly Needle[],
    shown: readonly Showing[],
  ): void {
    const names = this.#planted.get(place) ?? []
    const name = `${place} #${names.length + 1}`
    this.#planted.set(place, [...names, name])
    this.#needles.push(...toNeedles(name))
    if (shown.length > 0) this.#showings.set(name, [...shown])
  }
}
