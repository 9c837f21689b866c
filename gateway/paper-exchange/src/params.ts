import { type Decimal, readDecimal } from './decimal.ts'
import type { ReceivedJson } from './exact-json.ts'

/** How a family words what is wrong with a parameter. */
export interface ParamProblems {
  missing(name: string): Error
  malformed(name: string): Error
}

/**
 * The parameters of one request, wherever they travelled. Numbers and strings are one; empty is
 * absent.
 */
export class Params {
  readonly #values: ReadonlyMap<string, ReceivedJson>
  /** How the family words a problem that only the endpoint can see. */
  readonly problems: ParamProblems

  constructor(values: ReadonlyMap<string, ReceivedJson>, problems: ParamProblems) {
    this.#values = values
    this.problems = problems
  }

  /** These parameters, and of the others those that are absent here. */
  over(others: ReadonlyMap<string, ReceivedJson>): Params {
    return new Params(new Map([...others, ...this.#values]), this.problems)
  }

  /**
   * Rejects a field that an order call does not know. The real exchanges ignore such a field, and
   * the order may then do something else than its sender meant.
   */
  only(known: ReadonlySet<string>): void {
    for (const [name, value] of this.#values)
      if (!known.has(name) && value !== null && value !== '') throw this.problems.malformed(name)
  }

  has(name: string): boolean {
    return this.text(name) !== undefined
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value === 'boolean') return `${value}`
    if (typeof value !== 'string') throw this.problems.malformed(name)
    return value
  }

  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw this.problems.missing(name)
    return value
  }

  /** Zero or more. */
  decimal(name: string): Decimal | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = readDecimal(text)
    if (value === undefined) throw this.problems.malformed(name)
    return value
  }

  integer(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!/^\d{1,16}$/.test(text)) throw this.problems.malformed(name)
    return Number(text)
  }

  requiredInteger(name: string): number {
    const value = this.integer(name)
    if (value === undefined) throw this.problems.missing(name)
    return value
  }

  /** One of the given words, whatever its case. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return undefined
    const word = words.find((candidate) => candidate.toLowerCase() === text)
    if (word === undefined) throw this.problems.malformed(name)
    return word
  }

  requiredChoice<Word extends string>(name: string, words: readonly Word[]): Word {
    const word = this.choice(name, words)
    if (word === undefined) throw this.problems.missing(name)
    return word
  }

  /** A list of objects; undefined when the parameter is absent. */
  objects(name: string): readonly Params[] | undefined {
    return this.list(name)?.map((entry) => {
      if (!isObject(entry)) throw this.problems.malformed(name)
      return new Params(new Map(Object.entries(entry)), this.problems)
    })
  }

  list(name: string): readonly ReceivedJson[] | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null) return undefined
    if (!isList(value)) throw this.problems.malformed(name)
    return value
  }
}

/** The names in some texts, separated by spaces. */
export const fieldNames = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(' ')))

export const isList = (value: ReceivedJson): value is readonly ReceivedJson[] =>
  Array.isArray(value)

export const isObject = (value: ReceivedJson): value is { readonly [name: string]: ReceivedJson } =>
  typeof value === 'object' && value !== null && !isList(value)
