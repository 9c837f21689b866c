import type { FieldProblem } from 'schema'
import type { ChosenIds } from '../account-api.ts'

/** docs/exchanges/bitget-unified.md, 8. */
const CLIENT_OID = /^[.A-Z:/a-z0-9_-]{1,32}$/

/**
 * The ids that a bot chose and a unified account rejects. An id is never shortened: the bot could
 * not find its order.
 */
export function idProblems({ clientOid, newClientOid }: ChosenIds): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (clientOid !== undefined && !CLIENT_OID.test(clientOid)) {
    problems.push({
      field: 'clientOid',
      message: 'A unified account takes at most 32 characters: letters, digits and . : / _ - only',
    })
  }
  if (newClientOid !== undefined) {
    problems.push({
      field: 'newClientOid',
      message:
        'A unified account changes an order in place: it keeps both ids, so leave newClientOid out',
    })
  }
  return problems
}
