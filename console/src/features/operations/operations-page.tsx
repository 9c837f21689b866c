import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { HISTORY_SPANS, type OpenAlert, type Operations } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { OPERATIONS_EVERY_MS, useOperations } from '../../api/use-operations.ts'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PARTS, PagePart } from '../../components/page-part.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { AlertsList } from './alerts-list.tsx'
import { ClientsCard } from './clients-card.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { GatewayClock } from './gateway-clock.tsx'
import classes from './operations.module.css'
import { OutcomesCard } from './outcomes-card.tsx'
import { QueueCard } from './queue-card.tsx'
import { StopEverything } from './stop-everything.tsx'
import * as texts from './texts.ts'
import { useHistory } from './use-history.ts'

const NodesCard = lazy(() => import('./nodes-card.tsx'))

export default function OperationsPage() {
  const operations = useOperations(OPERATIONS_EVERY_MS)
  const { data, readAtMs, error } = operations
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <LiveSign
              readAtMs={readAtMs}
              hasFailed={error !== undefined}
              everySeconds={OPERATIONS_EVERY_MS / 1000}
            />
            <StopEverything
              isStopped={data?.exchanges.every(({ state }) => state === 'stopped') ?? false}
            />
          </>
        }
      />
      <Stack gap="md" data-wide>
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

/** The panel of a stopped exchange says it, with what ends it. */
function isShownBelow({ name, subject }: OpenAlert, { exchanges }: Operations): boolean {
  return (
    name === 'exchange.stopped' &&
    exchanges.some(({ exchange, state }) => exchange === subject && state === 'stopped')
  )
}

function Now({ now }: { readonly now: Operations }) {
  const { span, setSpan, history } = useHistory()
  const [, setClient] = useAddressParam('client')
  const showQueue = (clientId: string) => {
    setClient(clientId)
    document.getElementById('queue')?.scrollIntoView()
    document.querySelector<HTMLElement>('#queue h2')?.focus()
  }
  return (
    <>
      <AlertsList alerts={now.alerts.filter((alert) => !isShownBelow(alert, now))} />
      <Group justify="space-between" gap="xs">
        <Title order={2} fz="lg">
          {texts.exchanges}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={texts.chart.span}
          value={span}
          onChange={setSpan}
          data={HISTORY_SPANS.map((value) => ({ value, label: texts.chart.spans[value] }))}
        />
      </Group>
      <div className={classes.panels}>
        {now.exchanges.map((each) => (
          <PagePart key={each.exchange} id={PARTS.exchange(each.exchange)}>
            <ExchangePanel now={each} at={now.at} span={span} history={history} />
          </PagePart>
        ))}
      </div>
      <ClientsCard clients={now.clients} onQueue={showQueue} />
      <OutcomesCard count={now.unknownOrders + now.unknownCancels} />
      {now.hasNodes && (
        <Suspense>
          <NodesCard />
        </Suspense>
      )}
      <div id="queue" style={{ scrollMarginTop: 104 }}>
        <QueueCard exchanges={now.exchanges} />
      </div>
    </>
  )
}
