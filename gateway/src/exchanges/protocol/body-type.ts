import type { UpstreamCall } from '../exchange.ts'

/** The Content-Type that goes with a call's body. */
export function bodyTypeOf({ isForm }: Pick<UpstreamCall, 'isForm'>): string {
  return isForm === true ? 'application/x-www-form-urlencoded' : 'application/json'
}
