import { Button, Group, Modal } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import type { LogEntry } from 'schema'
import { CopyButton } from '../../components/copy-button.tsx'
import { Details } from '../../components/details.tsx'
import { formatMs } from '../../components/format.ts'
import { MethodTag, StatusTag } from '../../components/tag.tsx'
import type { LogFilter } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'
import { formatCsvTime, zoneName } from './log-time.ts'
import { texts } from './texts.ts'

interface LogDetailProps {
  /** Null: closed. */
  readonly line: LogLine | null
  readonly onClose: () => void
  /** Goes to the next newer (-1) or older (1) entry of the list. */
  readonly onStep: (step: -1 | 1) => void
  /** Adds to the filters. */
  readonly onShow: (changes: Partial<LogFilter>) => void
}

/** Everything the gateway reports about one request. */
export function LogDetail({ line, onClose, onStep, onShow }: LogDetailProps) {
  const stepByKey = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowUp') onStep(-1)
    if (key === 'ArrowDown') onStep(1)
  }
  return (
    <Modal onKeyDown={stepByKey} opened={line !== null} onClose={onClose} title="Request" size="lg">
      {line !== null && (
        <>
          <Details rows={factsOf(line.entry)} />
          <Group mt="md" gap="xs">
            <Button variant="default" onClick={() => onStep(-1)}>
              Newer
            </Button>
            <Button variant="default" onClick={() => onStep(1)} mr="auto">
              Older
            </Button>
            <Button variant="default" onClick={() => onShow({ endpoint: line.entry.endpoint })}>
              Only this endpoint
            </Button>
            {line.entry.clientId && (
              <Button
                variant="default"
                onClick={() => onShow({ client: line.entry.clientId ?? '' })}
              >
                Only this client
              </Button>
            )}
            <Button variant="default" onClick={() => onShow({ code: `${line.entry.statusCode}` })}>
              Only this status
            </Button>
          </Group>
        </>
      )}
    </Modal>
  )
}

function factsOf(entry: LogEntry) {
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? texts.nothing : formatMs(value)
  return [
    ['Method', <MethodTag key="method" method={entry.method} />],
    ['Endpoint', entry.endpoint],
    ['Status', <StatusTag key="status" status={entry.statusCode} />],
    ['Error code', entry.code ?? texts.nothing],
    ['Client ID', entry.clientId ?? texts.nothing],
    [`Time, ${zoneName('local')}`, formatCsvTime(entry.timestamp, 'local') ?? texts.nothing],
    ['Time, UTC', formatCsvTime(entry.timestamp, 'utc') ?? texts.nothing],
    ['Response time', ms(entry.responseTime)],
    ['Time in the queue', ms(entry.queueTime)],
    ['Time at the exchange', ms(entry.upstreamTime)],
    ...(entry.note === undefined ? [] : [['Note', entry.note] as const]),
    ['Request ID', <RequestId key="id" id={entry.requestId} />],
  ] as const
}

function RequestId({ id }: { id: string | undefined }) {
  if (!id) return texts.nothing
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code>
      <CopyButton value={id} label="Request ID" />
    </Group>
  )
}
