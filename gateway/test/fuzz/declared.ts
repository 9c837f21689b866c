import { globSync, readFileSync } from 'node:fs'
import type { Endpoint } from 'schema'
import { Compile } from 'typebox/compile'

/** An error that the code under test declares: one with a code and a status below 600. */
export function isDeclared(error: unknown): error is Error & { code: string; statusCode: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]+$/.test(error.code) &&
    !error.code.startsWith('FST_') &&
    'statusCode' in error &&
    typeof error.statusCode === 'number'
  )
}

/** What the function returns; undefined when it throws an error that it declares. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isDeclared(error)) return undefined
    throw error
  }
}

/** RFC 6749, 5.2, in the form of this API's codes. */
const OF_OAUTH = [
  ...['INVALID_REQUEST', 'INVALID_CLIENT', 'INVALID_GRANT', 'INVALID_SCOPE'],
  ...['UNAUTHORIZED_CLIENT', 'UNSUPPORTED_GRANT_TYPE'],
]

/** Every text in the sources that could be the code of an error; what is not here is made up. */
export const declaredCodes: ReadonlySet<string> = new Set([
  ...OF_OAUTH,
  ...globSync('{gateway,schema}/src/**/*.ts', { exclude: ['**/*.test.ts'] }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(
      ([, code = '']) => code,
    ),
  ),
])

const validators = new Map<string, ReturnType<typeof Compile>>()

/** The check of an endpoint's response. */
export function validatorOf({ id, response }: Endpoint): ReturnType<typeof Compile> {
  const known = validators.get(id)
  if (known !== undefined) return known
  if (response === undefined) throw new Error(`${id} has no response`)
  const made = Compile(response)
  validators.set(id, made)
  return made
}

/** The drop-in doors pass on what the exchange says. */
export const isDropIn = ({ path }: Endpoint) =>
  /^\/api\/(?:v3|v1\/private|v1\/contract)\//.test(path)
