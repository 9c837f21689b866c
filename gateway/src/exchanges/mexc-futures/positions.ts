import type { NamedPosition, PositionProtocol } from '../adapter.ts'
import type { UpstreamCall } from '../exchange.ts'
import type { PositionMode } from '../position-part.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { recordsOf, textOf } from '../protocol/untrusted.ts'

const PREFIX = '/api/v1/private/position'

/** docs/exchanges/mexc.md, 4.3 and 4.6. The mode is that of the whole account. */
export const positions: PositionProtocol = {
  modeReads: () => [{ call: readCall('position_mode', {}), read: readMode }],
  modeChanges: new Set([`POST ${PREFIX}/change_position_mode`]),
  positionRead: (positionId) => ({
    call: readCall('open_positions', { positionId }),
    read: (data) => readPosition(data, positionId),
  }),
}

function readMode(data: unknown): PositionMode | undefined {
  const mode = textOf(data)
  return mode === '1' ? 'hedge' : mode === '2' ? 'oneWay' : undefined
}

/** The list may have others: that it is narrowed by the id is one source's word. */
function readPosition(data: unknown, positionId: string): NamedPosition | undefined {
  const row = recordsOf(data).find((each) => textOf(each.positionId) === positionId)
  const symbol = textOf(row?.symbol)
  const type = textOf(row?.positionType)
  const side = type === '1' ? 'long' : type === '2' ? 'short' : undefined
  // State 3 is closed.
  if (symbol === undefined || side === undefined || textOf(row?.state) === '3') return undefined
  return { symbol, side }
}

function readCall(name: string, values: QueryValues): UpstreamCall {
  return {
    family: 'mexc-futures',
    method: 'GET',
    path: `${PREFIX}/${name}`,
    query: queryOf(values),
    body: null,
    signed: true,
  }
}
