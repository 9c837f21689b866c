import { Button, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { dropQueueOfClient, EXCHANGE_NAMES, type ExchangeNow, type QueueEntry } from 'schema'
import { newRequestWords } from '../../api/exchange-state.ts'
import { QueryView } from '../../api/query-view.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { DropClientDialog, DropEntryDialog } from './drop-dialogs.tsx'
import { QueueFilters } from './queue-filters.tsx'
import { QueueTable } from './queue-table.tsx'
import * as texts from './texts.ts'
import { filterQueue, useQueue, useQueueFilter } from './use-queue.ts'

const words = texts.queue
const FIRST = { wide: 25, narrow: 10 }
const STEP = 100

/** The waiting entries in the order in which they are sent, and what drops them. */
export function QueueCard({ exchanges }: { readonly exchanges: readonly ExchangeNow[] }) {
  const size = exchanges.reduce((sum, { queueSize }) => sum + queueSize, 0)
  const query = useQueue()
  const [filter, change] = useQueueFilter()
  const [asked, setAsked] = useState<QueueEntry | 'client' | null>(null)
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const [shown, setShown] = useState(isNarrow ? FIRST.narrow : FIRST.wide)
  const close = () => setAsked(null)
  const clear = () => change({ exchange: '', class: '', client: '' })
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return (
    <Card title={words.title(size)} description={words.description}>
      <QueryView query={query} what={words.what}>
        {(entries) => {
          const matching = filterQueue(entries, filter)
          const ofClient = entries.filter(({ clientId }) => clientId === filter.client)
          if (entries.length === 0 && !isFiltered) {
            return <EmptyNote icon="check" title={words.empty} hint={emptyHint(exchanges)} />
          }
          return (
            <>
              <QueueFilters entries={entries} filter={filter} onChange={change}>
                {ofClient.length > 0 && (
                  <RoleOnly endpoint={dropQueueOfClient}>
                    <Button
                      size="xs"
                      color="red"
                      variant="light"
                      onClick={() => setAsked('client')}
                    >
                      {words.dropAll(ofClient.length, filter.client)}
                    </Button>
                  </RoleOnly>
                )}
              </QueueFilters>
              <Text fz="sm" c="dimmed" mb="xs">
                {words.showing(Math.min(shown, matching.length), matching.length)}{' '}
                {entries.length < size && words.cut}
              </Text>
              {matching.length === 0 ? (
                <EmptyNote
                  icon="search"
                  title={words.noMatch}
                  action={
                    <Button variant="default" size="xs" mt="sm" onClick={clear}>
                      {words.clear}
                    </Button>
                  }
                />
              ) : (
                <QueueTable entries={matching.slice(0, shown)} onDrop={setAsked} />
              )}
              {shown < matching.length && (
                <Button
                  variant="default"
                  size="xs"
                  mt="sm"
                  onClick={() => setShown((count) => count + STEP)}
                >
                  {words.more(Math.min(STEP, matching.length - shown))}
                </Button>
              )}
              {asked === 'client' && (
                <DropClientDialog clientId={filter.client} entries={ofClient} onClose={close} />
              )}
            </>
          )
        }}
      </QueryView>
      {asked !== null && asked !== 'client' && <DropEntryDialog entry={asked} onClose={close} />}
    </Card>
  )
}

/** What becomes of a new request: in one sentence where it is the same at all exchanges. */
function emptyHint(exchanges: readonly ExchangeNow[]): string {
  const all = exchanges.map(newRequestWords)
  const [first = ''] = all
  if (all.every((each) => each === first)) return first
  return exchanges
    .map((each) => words.emptyOf(EXCHANGE_NAMES[each.exchange], newRequestWords(each)))
    .join(' ')
}
