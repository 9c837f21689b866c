import { getOperationsHistory, HISTORY_SPANS, type HistorySpan } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { useAddressParam } from '../../components/use-address-param.ts'

/** As often as there is a new point. */
const EVERY_MS: Readonly<Record<HistorySpan, number>> = {
  '5m': 5000,
  '1h': 60_000,
  '24h': 300_000,
}

/** The history of the queues, over the time that the address names. */
export function useHistory() {
  const [param, setParam] = useAddressParam('span')
  const span = HISTORY_SPANS.find((each) => each === param) ?? '5m'
  const history = useLiveQuery(getOperationsHistory, EVERY_MS[span], false, { query: { span } })
  return { span, history, setSpan: (next: string) => setParam(next === '5m' ? '' : next) }
}
