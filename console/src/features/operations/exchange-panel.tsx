import { Group, Skeleton, Text } from '@mantine/core'
import { EXCHANGE_NAMES, type ExchangeNow, type HistorySpan, type OperationsHistory } from 'schema'
import { STATE_LOOKS } from '../../api/exchange-state.ts'
import { QueryView } from '../../api/query-view.tsx'
import { isInForce } from '../../api/stop-state.ts'
import type { Query } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { formatTimeOfDay } from '../../components/format.ts'
import { StateSign } from '../../components/state-sign.tsx'
import { Tag } from '../../components/tag.tsx'
import { ExchangeChart } from './exchange-chart.tsx'
import { ExchangeFigures } from './exchange-figures.tsx'
import { ExchangeStop } from './exchange-stop.tsx'
import { Age, Left } from './gateway-clock.tsx'
import classes from './operations.module.css'
import { SlotTrack } from './slot-track.tsx'
import * as texts from './texts.ts'

interface ExchangePanelProps {
  readonly now: ExchangeNow
  readonly at: string
  readonly span: HistorySpan
  readonly history: Query<OperationsHistory>
}

const words = texts.exchange

/** One exchange: how it is, what waits, and the button that stops it. */
export function ExchangePanel({ now, at, span, history }: ExchangePanelProps) {
  const { exchange, state, environment, since, accounts } = now
  const name = EXCHANGE_NAMES[exchange]
  const look = STATE_LOOKS[state]
  return (
    <Card
      title={
        <Group component="span" gap={8}>
          {name} <Tag colour="gray">{environment}</Tag>
        </Group>
      }
      actions={
        <Group component="span" gap={8} fz="sm">
          <StateSign sign={look.sign} />
          <b>{look.name}</b>
          {since !== null && (
            <Text component="span" fz="inherit" c="dimmed">
              <Ago since={since} />
            </Text>
          )}
        </Group>
      }
    >
      {/* A stop says itself what it is, below. */}
      {state !== 'running' && !isInForce(now.stop) && <Trouble now={now} />}
      <ExchangeFigures now={now} />
      {accounts.length > 0 && (
        <div className={classes.held}>
          {`${state === 'running' ? words.held : words.heldToo}:`}
          <ul>
            {accounts.map(({ clientId, state: heldState, nextTryAt }) => (
              <li key={clientId}>
                <b>{clientId}</b>
                {`: ${STATE_LOOKS[heldState].name.toLowerCase()}. `}
                <NextTry at={nextTryAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <ExchangeStop now={now} />
      <SlotTrack now={now} />
      <QueryView
        query={history}
        what={texts.chart.what}
        loading={<Skeleton height={260} mt="md" />}
      >
        {(data) => (
          <ExchangeChart name={name} exchange={exchange} at={at} span={span} history={data} />
        )}
      </QueryView>
    </Card>
  )
}

function Ago({ since }: { readonly since: string }) {
  return (
    <>
      {words.for} <Age of={since} />
      {`, ${words.since} ${formatTimeOfDay(Date.parse(since))}`}
    </>
  )
}

/** Why it does not run, and what comes next. */
function Trouble({ now: { state, reason, nextTryAt } }: Pick<ExchangePanelProps, 'now'>) {
  return (
    <p className={classes.trouble} data-state={state}>
      {state !== 'stopped' && reason !== null && (
        <>
          <b>{reason}</b>
          <br />
        </>
      )}
      {`${STATE_LOOKS[state].meaning}. `}
      {state !== 'stopped' && (
        <b>
          <NextTry at={nextTryAt} />
        </b>
      )}
    </p>
  )
}

function NextTry({ at }: { readonly at: string | null }) {
  if (at === null) return words.nextTryNow
  return <Left until={at} words={words.nextTry} over={words.nextTryNow} />
}
