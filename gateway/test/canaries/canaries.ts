import { randomBytes } from 'node:crypto'

/** Something that came out of the product: a response, a log, a post, a file. */
interface Outlet {
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

/** A form of a secret that would give it away, as bytes. */
export interface Needle {
  readonly canary: string
  readonly form: string
  readonly bytes: Buffer
}

interface Hit {
  readonly canary: string
  readonly form: string
  /** What was found: the needle or a piece of it. */
  readonly found: Buffer
  readonly at: number
}

/** A piece of this many bytes gives a secret away; a shorter secret, as a whole. */
const PIECE = 12
/** The shortest secret: the ten letters of a recovery code. */
const SHORTEST = 10
const GRAM = 4
/** Every run of `SHORTEST` bytes covers a gram that begins at a multiple of this. */
const STRIDE = SHORTEST - GRAM + 1

/** Every form in which a text may come out. */
function formsOfText(canary: string, text: string): Needle[] {
  const utf8 = Buffer.from(text)
  const json = escapedOf(text)
  return distinct(canary, [
    ['clear', text],
    ['without dashes', text.replaceAll('-', '')],
    ['JSON', json],
    ['JSON in JSON', escapedOf(json)],
    ['URL', encodeURIComponent(text)],
    ['form', new URLSearchParams({ '': text }).toString().slice(1)],
    ['HTML', text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ...encodingsOf(utf8),
  ])
}

/** Every form in which the bytes of a key may come out. */
function formsOfBytes(canary: string, bytes: Buffer): Needle[] {
  return distinct(canary, [
    ['bytes', bytes],
    ['numbers', bytes.join(',')],
    ['JSON of text', escapedOf(bytes.toString('latin1'))],
    ...encodingsOf(bytes),
  ])
}

/** Base64 depends on how many bytes come before: there are three of it. */
function encodingsOf(bytes: Buffer): [form: string, text: string][] {
  const hex = bytes.toString('hex')
  const shifted = [0, 1, 2].flatMap((before): [string, string][] => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const isWhole = (before + bytes.length) % 3 === 0
    // Without the letters that depend on what comes before and after.
    const own = text
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1)
    return [
      ['base64', own],
      ['base64url', own.replaceAll('+', '-').replaceAll('/', '_')],
      ['URL of base64', encodeURIComponent(own)],
    ]
  })
  return [['hex', hex], ['HEX', hex.toUpperCase()], ...shifted]
}

const escapedOf = (text: string) => JSON.stringify(text).slice(1, -1)

function distinct(
  canary: string,
  forms: readonly (readonly [form: string, value: string | Buffer])[],
): Needle[] {
  const needles = forms.map(([form, value]) => ({ canary, form, bytes: Buffer.from(value) }))
  return [
    ...new Map(needles.toReversed().map((each) => [each.bytes.toString('hex'), each])).values(),
  ]
}

/** Finds needles, and their pieces, in any number of texts. */
function createSearch(needles: readonly Needle[]) {
  const places = new Map<number, [needle: Needle, offset: number][]>()
  for (const needle of needles) {
    if (needle.bytes.length < SHORTEST)
      throw new RangeError(`${needle.canary} is too short to find`)
    for (let offset = 0; offset + GRAM <= needle.bytes.length; offset += 1) {
      const gram = needle.bytes.readUInt32LE(offset)
      places.set(gram, [...(places.get(gram) ?? []), [needle, offset]])
    }
  }

  /** The first hit of each form. */
  return (text: Buffer): Hit[] => {
    const hits = new Map<Needle, Hit>()
    for (let at = 0; at + GRAM <= text.length; at += STRIDE)
      for (const [needle, offset] of places.get(text.readUInt32LE(at)) ?? []) {
        if (hits.has(needle)) continue
        const [from, to] = commonRun(needle.bytes, offset, text, at)
        if (to - from < Math.min(PIECE, needle.bytes.length)) continue
        const { canary, form } = needle
        hits.set(needle, { canary, form, found: text.subarray(from, to), at: from })
      }
    return [...hits.values()]
  }
}

/** How far needle and text are the same on both sides of a place: from and to, in the text. */
function commonRun(needle: Buffer, offset: number, text: Buffer, at: number): [number, number] {
  let before = 0
  while (before < Math.min(offset, at) && needle[offset - before - 1] === text[at - before - 1])
    before += 1
  let after = 0
  while (
    offset + after < needle.length &&
    at + after < text.length &&
    needle[offset + after] === text[at + after]
  )
    after += 1
  return [at - before, at + after]
}

/** A secret that looks different in JSON, in HTML, in a URL and in a form, in each part of it. */
export function oddSecret(signs = ODD_SIGNS): string {
  const parts = [...signs].map((sign) => `${sign}${randomBytes(3).toString('base64url')}`)
  return `x${parts.join('')}`
}
const ODD_SIGNS = '"\\+/%=&<ä> '
/** What can be in a key of an exchange. */
export const PRINTABLE_SIGNS = '"\\+/%=&<>'
