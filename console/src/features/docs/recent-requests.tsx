import { Button } from '@mantine/core'
import { docPages } from 'schema'
import { navigate } from 'wouter/use-browser-location'
import { Card } from '../../components/card.tsx'
import { formatTimeOfDay } from '../../components/format.ts'
import { MethodTag, StatusTag } from '../../components/tag.tsx'
import classes from './docs.module.css'
import { type PastRequest, recallRequest, useTabHistory } from './tab-history.ts'
import * as texts from './texts.ts'

/**
 * The last try-it requests of this tab, each of which fills its form again; nothing before the
 * first.
 */
export function RecentRequests() {
  const past = useTabHistory((state) => state.past)
  if (past.length === 0) return null
  return (
    <Card title={texts.recent.title} description={texts.recent.description}>
      <ul className={classes.recent}>
        {past.map((request) => (
          <RecentRequest key={request.id} request={request} />
        ))}
      </ul>
    </Card>
  )
}

function RecentRequest({ request }: { readonly request: PastRequest }) {
  const { endpointId, atMs, status, page, values } = request
  const endpoint = docPages
    .flatMap(({ endpoints }) => endpoints)
    .find(({ id }) => id === endpointId)
  if (endpoint === undefined) return null
  const time = formatTimeOfDay(atMs)
  const recall = () => {
    recallRequest(request)
    if (window.location.pathname !== page) navigate(page)
  }
  return (
    <li className={classes.recentRow}>
      <span className={classes.dim}>{time}</span>
      <MethodTag method={endpoint.method} />
      <code>{endpoint.path}</code>
      <span className={classes.dim}>{summaryOf(values)}</span>
      {status === null ? texts.recent.noResponse : <StatusTag status={status} />}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${texts.recent.fill}: ${endpoint.path}, ${time}`}
        onClick={recall}
      >
        {texts.recent.fill}
      </Button>
    </li>
  )
}

/** What distinguishes two requests of an endpoint: `BTC_USDT BUY LIMIT 0.01 60000`. */
function summaryOf(values: PastRequest['values']): string {
  return Object.values(values)
    .filter((value) => value !== '')
    .slice(0, 5)
    .join(' ')
}
