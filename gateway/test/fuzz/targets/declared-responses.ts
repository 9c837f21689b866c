import type { Endpoint } from 'schema'
import { Compile } from 'typebox/compile'

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
