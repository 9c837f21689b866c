import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { EXCHANGE_NAMES, type Operations, resumeEverything, stopEverything } from 'schema'
import { attentionOf } from '../../api/attention.ts'
import { OPERATIONS_EVERY_MS, QueryView, useOperations } from '../../api/queries.tsx'
import { RoleOnly } from '../../api/role.tsx'
import { isStopUnsent, StopDialog } from '../../api/stop-dialog.tsx'
import { useResuming } from '../../api/stop-state.ts'
import { AttentionList } from '../../components/attention-list.tsx'
import { Icon } from '../../components/icons.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { PARTS, PageHeader, PagePart } from '../../components/page.tsx'
import { LiveSign } from '../../components/signs.tsx'
import { useActions } from '../../components/use-actions.ts'
import { ClientsCard } from './clients-card.tsx'
import { toggleCharts, useOpenCharts } from './exchange-chart.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import classes from './operations.module.css'
import { OutcomesCard } from './outcomes-card.tsx'
import { GatewayClock } from './parts.tsx'
import { QueueCard } from './queue-card.tsx'
import * as texts from './texts.ts'
import { showQueue } from './use-queue.tsx'

const late = () => import('./late-cards.tsx')
const NodesCard = lazyPart(async () => ({ default: (await late()).NodesCard }))
const StreamsCard = lazyPart(async () => ({ default: (await late()).StreamsCard }))

export default function OperationsPage() {
  const operations = useOperations(OPERATIONS_EVERY_MS)
  const { data, readAtMs } = operations
  return (
    <>
      <PageHeader
        title={texts.title}
        actions={
          <>
            <LiveSign of={operations} everyMs={OPERATIONS_EVERY_MS} />
            <StopEverything
              isStopped={data?.exchanges.every(({ state }) => state === 'stopped') ?? false}
            />
          </>
        }
      />
      <Stack gap="sm" data-wide className={classes.page ?? ''}>
        <QueryView query={operations} what={texts.reading}>
          {(now) => (
            <GatewayClock value={Date.parse(now.at) - (readAtMs ?? Date.now())}>
              <Now now={now} />
            </GatewayClock>
          )}
        </QueryView>
      </Stack>
    </>
  )
}

/** Stops all exchanges, and resumes them once all are stopped. */
function StopEverything({ isStopped }: { readonly isStopped: boolean }) {
  const resuming = useResuming()
  const [isStopping, setStopping] = useState(() => isStopUnsent('everything'))
  const words = texts.everything
  return (
    <>
      {isStopped && (
        <RoleOnly endpoint={resumeEverything}>
          <Button
            leftSection={<Icon name="play" size={16} />}
            onClick={() => void resuming.everything()}
          >
            {words.resume}
          </Button>
        </RoleOnly>
      )}
      <RoleOnly endpoint={stopEverything}>
        <Button
          color="red"
          variant="outline"
          leftSection={<Icon name="ban" size={16} />}
          onClick={() => setStopping(true)}
        >
          {words.stop}
        </Button>
      </RoleOnly>
      {isStopping && <StopDialog of="everything" onClose={() => setStopping(false)} />}
    </>
  )
}

/** What is wrong, the exchanges, who floods beside the head of the queue, and what is open. */
function Now({ now }: { readonly now: Operations }) {
  const { open } = useOpenCharts()
  useActions(() => [
    ...now.exchanges.map(({ exchange }) => {
      const isOpen = open.includes(exchange)
      return {
        label: texts.charts.label(EXCHANGE_NAMES[exchange], isOpen),
        does: texts.charts.does(isOpen),
        run: () => toggleCharts(exchange, !isOpen),
      }
    }),
    ...now.clients
      .filter(({ waiting }) => waiting > 0)
      .map(({ clientId, waiting }) => ({
        ...{ label: texts.queue.showOf(clientId), does: texts.queue.showDoes(waiting) },
        ...{ run: () => showQueue(clientId), isOfRow: true },
      })),
  ])
  return (
    <>
      <Attention now={now} />
      <section aria-label={texts.exchanges} className={classes.panels}>
        {now.exchanges.map((each) => (
          <PagePart key={each.exchange} id={PARTS.exchange(each.exchange)}>
            <ExchangePanel now={each} at={now.at} />
          </PagePart>
        ))}
      </section>
      <div className={classes.lists}>
        <ClientsCard clients={now.clients} />
        <PagePart id="queue">
          <QueueCard exchanges={now.exchanges} clients={now.clients} />
        </PagePart>
      </div>
      <div className={classes.lists}>
        <OutcomesCard count={now.unknownOrders + now.unknownCancels} />
        <StreamsCard />
      </div>
      {now.hasNodes && <NodesCard />}
    </>
  )
}

/** With these the exchanges are above the middle of the first screen. */
const SHOWN = 3

/** What is wrong. The state of an exchange is in its panel, right below. */
function Attention({ now }: { readonly now: Operations }) {
  const shown = new Set(
    now.exchanges
      .filter(({ state }) => state !== 'running')
      .map((each) => `exchange ${each.exchange}`),
  )
  const nowMs = Date.parse(now.at)
  const items = attentionOf(now, undefined, nowMs).filter(({ id }) => !shown.has(id))
  if (items.length === 0) return null
  return (
    <section aria-label={texts.attention}>
      <AttentionList items={items} nowMs={nowMs} shownMax={SHOWN} />
    </section>
  )
}
