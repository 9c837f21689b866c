import type { SignedCall } from '../family.ts'

const LIMIT_MAX = 100
const HISTORY_MS = 90 * 86_400_000

interface Listed {
  readonly id: string
  readonly atMs: number
}

/**
 * One page of a list that is newest first: `startTime`, `endTime`, `limit` up to 100, and
 * `cursorName` for the id before which it starts. Nothing older than 90 days. @throws
 * BitgetRejection
 */
export function pageOf<Item>(
  { params, request }: SignedCall,
  items: readonly Item[],
  keyOf: (item: Item) => Listed,
  cursorName: 'idLessThan' | 'cursor' = 'idLessThan',
): readonly Item[] {
  const limit = params.integer('limit') ?? LIMIT_MAX
  if (limit < 1 || limit > LIMIT_MAX) throw params.problems.malformed('limit')
  const fromMs = Math.max(params.integer('startTime') ?? 0, request.nowMs - HISTORY_MS)
  const toMs = params.integer('endTime') ?? Number.MAX_SAFE_INTEGER
  const before = params.text(cursorName)
  if (before !== undefined && !/^\d{1,30}$/.test(before))
    throw params.problems.malformed(cursorName)
  return items
    .filter((item) => {
      const { id, atMs } = keyOf(item)
      const isOlder = before === undefined || BigInt(id) < BigInt(before)
      return isOlder && atMs >= fromMs && atMs <= toMs
    })
    .slice(0, limit)
}
