import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { EXCHANGE_NAMES, type ExchangeNow, resumeExchange, stopExchange } from 'schema'
import { STATE_LOOKS } from '../../api/exchange-state.ts'
import { reportFailure } from '../../api/failures.tsx'
import { RoleOnly } from '../../api/role.tsx'
import { isStopUnsent, StopDialog } from '../../api/stop-dialog.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { CHANGED_BY_STOPS, isInForce, isUnderWay, useResuming } from '../../api/stop-state.ts'
import { useAction } from '../../api/use-action.ts'
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatMs,
  formatNumber,
  formatTimeOfDay,
} from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { Details } from '../../components/page.tsx'
import { StateSign, Tag } from '../../components/signs.tsx'
import { ExchangeCharts } from './exchange-chart.tsx'
import classes from './operations.module.css'
import { Age, Ago, Left } from './parts.tsx'
import * as texts from './texts.ts'

interface ExchangePanelProps {
  readonly now: ExchangeNow
  /** The gateway's time. */
  readonly at: string
}

const words = texts.exchange
const figures = texts.figures

/** One exchange: how it is, four figures, what stops it, and its charts. */
export function ExchangePanel({ now, at }: ExchangePanelProps) {
  const { exchange, state, environment, since, stop } = now
  const id = useId()
  const look = STATE_LOOKS[state]
  const inForce = state === 'stopped' && isInForce(stop) ? stop : null
  return (
    <Paper component="section" aria-labelledby={id} withBorder className={classes.panel ?? ''}>
      <header>
        <Title order={2} fz="md" id={id}>
          {EXCHANGE_NAMES[exchange]} <Tag colour="gray">{environment}</Tag>
        </Title>
        <div className={classes.state}>
          <StateSign sign={look.sign} />
          <b>{look.name}</b>
          {since !== null && <Since since={since} />}
        </div>
        <EndButtons now={now} />
      </header>
      {state !== 'running' && inForce === null && <Trouble now={now} />}
      {inForce === null ? (
        <Figures now={now} />
      ) : (
        <Stack gap={8} mt={8}>
          <StopProgress stop={inForce} />
        </Stack>
      )}
      <Held now={now} />
      {stop !== null && stop.resumedAt !== null && (
        <p className={classes.small}>
          {words.last(stop.reason, formatDateTime(stop.startedAt), formatDateTime(stop.resumedAt))}
        </p>
      )}
      <ExchangeCharts exchange={exchange} at={at} />
    </Paper>
  )
}

function Since({ since }: { readonly since: string }) {
  return (
    <Text component="span" fz="xs" c="dimmed">
      <span>{words.for} </span>
      <Age of={since} />
      <span>{`, ${words.since} ${formatTimeOfDay(Date.parse(since))}`}</span>
    </Text>
  )
}

/** *Stop*, or what ends a stop and what it has not cancelled. */
function EndButtons({ now: { exchange, state, stop } }: Pick<ExchangePanelProps, 'now'>) {
  const resuming = useResuming()
  const [isStopping, setStopping] = useState(() => isStopUnsent({ exchange }))
  const { trigger, isPending } = useAction(stopExchange, {
    readAgain: CHANGED_BY_STOPS,
    alsoOffline: true,
  })
  const name = EXCHANGE_NAMES[exchange]
  const cancelOrders = (reason: string) => {
    trigger({ params: { exchange }, body: { reason, cancelOrders: true } }).catch(reportFailure)
  }
  return (
    <Group gap="xs">
      {state === 'stopped' ? (
        <>
          {isInForce(stop) && !isUnderWay(stop) && (
            <RoleOnly endpoint={stopExchange}>
              <Button
                size="xs"
                variant="default"
                disabled={isPending}
                onClick={() => cancelOrders(stop.reason)}
              >
                {stop.failed.length > 0 ? words.retry : words.cancel}
              </Button>
            </RoleOnly>
          )}
          <RoleOnly endpoint={resumeExchange}>
            <Button size="xs" onClick={() => void resuming.exchange(exchange, stop)}>
              {words.resume(name)}
            </Button>
          </RoleOnly>
        </>
      ) : (
        <RoleOnly endpoint={stopExchange}>
          <Button
            size="xs"
            color="red"
            variant="outline"
            leftSection={<Icon name="ban" size={14} />}
            onClick={() => setStopping(true)}
          >
            {words.stop(name)}
          </Button>
        </RoleOnly>
      )}
      {isStopping && (
        <StopDialog of={{ exchange }} cancels={false} onClose={() => setStopping(false)} />
      )}
    </Group>
  )
}

/** Why it does not run, and what comes next. */
function Trouble({ now: { state, reason, nextTryAt } }: Pick<ExchangePanelProps, 'now'>) {
  return (
    <p className={classes.trouble} data-state={state}>
      {state !== 'stopped' && reason !== null && <b>{`${reason}. `}</b>}
      <span>{`${STATE_LOOKS[state].meaning}. `}</span>
      {state !== 'stopped' && <NextTry at={nextTryAt} />}
    </p>
  )
}

/** Accounts whose calls fail alone. */
function Held({ now: { state, accounts } }: Pick<ExchangePanelProps, 'now'>) {
  if (accounts.length === 0) return null
  return (
    <div className={classes.trouble}>
      {`${state === 'running' ? words.held : words.heldToo}:`}
      <ul>
        {accounts.map(({ clientId, state: heldState, nextTryAt }) => (
          <li key={clientId}>
            <b>{clientId}</b>
            <span>{`: ${STATE_LOOKS[heldState].name.toLowerCase()}. `}</span>
            <NextTry at={nextTryAt} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function NextTry({ at }: { readonly at: string | null }) {
  if (at === null) return <span>{words.nextTryNow}</span>
  return <Left until={at} words={words.nextTry} over={words.nextTryNow} />
}

/** The four that matter most, and the others in a small line. */
function Figures({ now }: Pick<ExchangePanelProps, 'now'>) {
  const { state, queueSize, longestWaitMs, rateLimit, fullRateLimit } = now
  const isRefusing = state === 'broken' || state === 'stopped'
  const rows = [
    [figures.waiting, formatCount(queueSize)],
    [figures.newOrder, isRefusing ? figures.refused : waitOf(now.estimatedWaitMs)],
    [figures.oldest, queueSize === 0 ? '–' : formatDuration(longestWaitMs)],
    [figures.rate, figures.rateOf(formatNumber(rateLimit), formatNumber(fullRateLimit))],
  ] as const
  const others: readonly ReactNode[] = [
    ...(isRefusing || queueSize === 0 ? [] : [figures.busiest(waitOf(now.busiestWaitMs))]),
    figures.sent(formatCount(now.sentLastMinute)),
    figures.inFlight(formatCount(now.inFlight)),
    figures.clock(offsetOf(now.clockOffsetMs)),
    ...(state === 'running' ? [<LastError key="error" now={now} />] : []),
  ]
  return (
    <>
      <Details rows={rows} className={classes.figures} />
      <ul className={classes.small}>
        {others.map((other, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: each has its place.
          <li key={place}>{other}</li>
        ))}
      </ul>
    </>
  )
}

/** Of one that runs; the reason of another one says it. */
function LastError({ now: { lastError } }: Pick<ExchangePanelProps, 'now'>) {
  if (lastError === null) return <span>{figures.noError}</span>
  return (
    <>
      <span>{`${figures.lastError} `}</span>
      <Ago of={lastError.at} isRough what={lastError.message} />
    </>
  )
}

const waitOf = (ms: number) => (ms < 1 ? figures.noWait : formatDuration(ms))

function offsetOf(ms: number | null): string {
  if (ms === null) return figures.clockUnknown
  return `${ms < 0 ? '−' : '+'}${formatMs(Math.abs(ms))}`
}
