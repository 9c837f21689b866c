import { globSync, readFileSync } from 'node:fs'

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
