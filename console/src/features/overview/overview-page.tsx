import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import {
  getAccount,
  getLogHistogram,
  getOperationsHistory,
  getStats,
  LOG_WINDOW_HOURS,
  type Stats,
} from 'schema'
import { attentionOf } from '../../api/attention.ts'
import {
  type Query,
  QueryView,
  useKeys,
  useLiveQuery,
  useLost,
  useOperationsOfStrip,
  useQuery,
} from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { AttentionList } from '../../components/attention-list.tsx'
import { useCopy } from '../../components/copy.tsx'
import { formatMs, formatPercent, formatTimeOfDay } from '../../components/format.ts'
import { Card, PageHeader, PageLink, Quiet } from '../../components/page.tsx'
import { LiveSign, StateSign } from '../../components/signs.tsx'
import { DayCard, RateLimitCard, TopClientsCard } from './day-cards.tsx'
import classes from './overview.module.css'
import { AuthenticationCard, GettingStartedCard, useFirstSteps } from './start-cards.tsx'
import * as texts from './texts.ts'
import {
  joinPoints,
  QUEUE_WINDOW_MS,
  type QueuePoint,
  STATS_EVERY_MS,
  sumByTime,
  type Traffic,
  toTraffic,
} from './traffic.ts'

export default function OverviewPage() {
  const statistics = useLiveQuery(getStats, STATS_EVERY_MS)
  const { data: stats, readAtMs } = statistics
  const queue = useQueueHistory(stats?.queueSize, readAtMs)
  const traffic = useTraffic()
  const steps = useFirstSteps()
  const gettingStarted = <GettingStartedCard stats={stats} steps={steps} />
  // Nothing else can be done before there is a client.
  const isNew = steps.hasClient === false
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <LiveSign of={statistics} everyMs={STATS_EVERY_MS} />
            <ActionButton
              icon="download"
              run={() => console.info(texts.exportMessage)}
              does={texts.exportDoes}
              label={texts.exportDocs}
            />
            <CopyApiKeyButton />
          </>
        }
      />
      <Figures statistics={statistics} avgQueueMs={traffic.data?.avgQueueMs ?? null} />
      <Stack gap="md" data-wide>
        {isNew && gettingStarted}
        <AttentionCard />
        <div className={isNew ? undefined : classes.start}>
          {!isNew && gettingStarted}
          <AuthenticationCard />
        </div>
        <div className={classes.day}>
          <RateLimitCard stats={stats} queue={queue} />
          <DayCard traffic={traffic} />
          <TopClientsCard />
        </div>
      </Stack>
    </>
  )
}

const TRAFFIC_EVERY_MS = 60_000
const STEP_MINUTES = 30
const WINDOW_MS = LOG_WINDOW_HOURS * 3_600_000

/** The requests of the log's window. */
function useTraffic(): Query<Traffic> {
  const query = useLiveQuery(getLogHistogram, TRAFFIC_EVERY_MS, false, {
    query: { stepMinutes: STEP_MINUTES },
  })
  const { data, readAtMs } = query
  const traffic = useMemo(
    () => data && toTraffic(data, readAtMs ?? Date.now(), WINDOW_MS),
    [data, readAtMs],
  )
  return { ...query, data: traffic }
}

/** Seldom: the page's own readings follow what the gateway remembers. */
const HISTORY_EVERY_MS = 60_000

/**
 * How many requests waited in the last five minutes, oldest first: as the gateway remembers it, and
 * at each reading of this page.
 * @param readAtMs changes with each good response, whose queue is `size`
 */
function useQueueHistory(size: number | undefined, readAtMs: number | null): readonly QueuePoint[] {
  const [own, setOwn] = useState<readonly QueuePoint[]>([])
  const add = useEffectEvent((atMs: number) => {
    if (size === undefined) return
    const isRecent = (point: QueuePoint) => point.atMs > atMs - QUEUE_WINDOW_MS
    setOwn((before) => [...before.filter(isRecent), { atMs, size }])
  })
  useEffect(() => {
    if (readAtMs !== null) add(readAtMs)
  }, [readAtMs])
  const { data } = useLiveQuery(getOperationsHistory, HISTORY_EVERY_MS, false, {
    query: { span: '5m' },
  })
  const remembered = useMemo(() => sumByTime(data), [data])
  return useMemo(() => joinPoints(remembered, own), [remembered, own])
}

/** Copies a fixed placeholder: exchange keys are never readable here. */
function CopyApiKeyButton() {
  const { copy, isCopied } = useCopy(texts.apiKeyLabel)
  return (
    <ActionButton
      icon={isCopied ? 'check' : 'copy'}
      run={() => void copy(texts.apiKeyPlaceholder)}
      does={texts.copyDoes}
      label={texts.copyApiKey}
    />
  )
}

interface FiguresProps {
  readonly statistics: Pick<Query<Stats>, 'data' | 'error' | 'readAtMs'>
  /** How long requests waited on average; null when that is not known. */
  readonly avgQueueMs: number | null
}

/** Four numbers in a row; undefined statistics show that they are on their way. */
function Figures({ statistics, avgQueueMs }: FiguresProps) {
  const { data: stats, error, readAtMs } = statistics
  const { hints } = texts
  const isOld = stats !== undefined && error !== undefined && readAtMs !== null
  const response = avgQueueMs === null ? hints.avgResponse : hints.avgQueue(formatMs(avgQueueMs))
  const cards = [
    ['totalApis', texts.TOTAL_APIS, hints.totalApis],
    ['successRate', stats && formatPercent(stats.successRate), hints.successRate],
    ['avgResponse', stats && formatMs(stats.avgResponseTime), response],
    ['activeTokens', stats?.activeTokens, hints.activeTokens],
  ] as const
  return (
    <dl className={classes.cards}>
      {cards.map(([key, value, hint]) => (
        <Paper key={key} withBorder p="md">
          <dt>{texts.cards[key]}</dt>
          <dd className={classes.value}>{value ?? <Skeleton height={24} width={72} my={4} />}</dd>
          <dd>{isOld && key !== 'totalApis' ? hints.asOf(formatTimeOfDay(readAtMs)) : hint}</dd>
          <dd>
            <PageLink fz="inherit" href={texts.cardLinks[key].href}>
              {texts.cardLinks[key].text}
            </PageLink>
          </dd>
        </Paper>
      ))}
    </dl>
  )
}

/** What a person should look at. Its height is that of four lines: nothing moves when they come. */
function AttentionCard() {
  const operations = useOperationsOfStrip()
  const keys = useKeys()
  const isLost = useLost(operations) !== null
  const { data: now, readAtMs } = operations
  const words = texts.attention
  const isKnown = [operations, keys].every(
    ({ data, error }) => data !== undefined || error !== undefined,
  )
  const nowMs = Date.parse(now?.at ?? '') || Date.now()
  const items = isKnown ? attentionOf(now, keys.data, nowMs) : []
  return (
    <Card title={words.title(items.length)}>
      <div className={classes.attention}>
        {isLost && readAtMs !== null && (
          <Text fz="sm" c="var(--mantine-color-error)">
            {words.old(formatTimeOfDay(readAtMs))}
          </Text>
        )}
        {!isKnown && <Skeleton height={140} />}
        {isKnown && (
          <QueryView query={operations} what={words.reading} loading={null}>
            {() => (
              <QueryView query={keys} what={words.keys} loading={null}>
                {() => items.length === 0 && !isLost && <Calm />}
              </QueryView>
            )}
          </QueryView>
        )}
        <AttentionList items={items} nowMs={nowMs}>
          {isKnown && <NoSecondFactor />}
        </AttentionList>
      </div>
    </Card>
  )
}

function Calm() {
  return (
    <Text fz="sm">
      <StateSign sign="good" /> <b>{texts.attention.calm}</b>{' '}
      <Text span fz="inherit" c="dimmed">
        {texts.attention.calmWhy}
      </Text>
    </Text>
  )
}

/** No alarm: it is not counted, and is below what is. */
function NoSecondFactor() {
  const { data } = useQuery(getAccount)
  const words = texts.attention
  // Who signs in at a provider is asked there for what it needs.
  if (data?.factors?.length !== 0 || data.hasPassword === false) return null
  return (
    <Quiet>
      {words.noFactor}{' '}
      <PageLink href="/account" fz="inherit" underline="always">
        {words.addFactor}
      </PageLink>
    </Quiet>
  )
}
