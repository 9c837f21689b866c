import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { EXCHANGE_NAMES, listApiKeys, type TestResult, testApiKey } from 'schema'
import { useSWRConfig } from 'swr'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { queryKey } from '../../api/queries.tsx'
import { useAction } from '../../api/use-action.ts'
import { useFocusReturn } from '../../components/focus.ts'
import { formatCount, formatDateTime } from '../../components/format.ts'
import { Details, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import type { KeyPlace } from './api-keys.ts'
import * as texts from './texts.ts'

interface TestApiKeyDialogProps {
  readonly apiKey: KeyPlace
  /** The test was asked for already. */
  readonly isStarted: boolean
  readonly onClose: () => void
}

interface Outcome {
  readonly hasPassed: boolean
  /** The exchange's or the gateway's words, then what was learned, then warnings. */
  readonly lines: readonly string[]
}

const testDialog = texts.testDialog

/** Asks the exchange whether it accepts the keys and shows what it said. */
export function TestApiKeyDialog({ apiKey, isStarted, onClose }: TestApiKeyDialogProps) {
  const { clientId, exchange } = apiKey
  useFocusReturn()
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(testApiKey)
  const [outcome, setOutcome] = useState<Outcome | null>(null)

  const run = async () => {
    setOutcome(null)
    try {
      const result = await trigger({ body: { clientId, exchange } })
      const hasPassed = result?.success !== false && result?.testStatus !== 'failure'
      setOutcome({ hasPassed, lines: linesOf(result) })
      if (hasPassed) toast({ title: texts.success, message: testDialog.passed })
      else toast({ title: texts.error, message: testDialog.failed, tone: 'failure' })
    } catch (error) {
      const server = error instanceof ApiError ? error.serverMessage : undefined
      setOutcome({ hasPassed: false, lines: server ? [server] : [] })
      reportFailure(error, { headline: testDialog.failed })
    }
    // Whatever came out: a failed test changes the row too.
    void mutate(queryKey(listApiKeys))
  }

  const start = useEffectEvent(() => void run())
  useEffect(() => {
    if (isStarted) start()
  }, [isStarted])

  return (
    <Modal opened onClose={onClose} title={testDialog.title} centered>
      <Stack>
        <Details
          rows={[
            [texts.testDialog.client, clientId],
            [texts.testDialog.exchange, EXCHANGE_NAMES[exchange]],
          ]}
        />
        <Quiet>{testDialog.text}</Quiet>
        {outcome !== null && (
          <Alert
            variant="light"
            color={outcome.hasPassed ? 'green' : 'red'}
            title={outcome.hasPassed ? testDialog.passed : testDialog.failed}
          >
            {outcome.lines.map((text) => (
              <div key={text}>{text}</div>
            ))}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button onClick={run} disabled={isPending} data-autofocus>
            {isPending ? testDialog.submitting : testDialog.submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** What the exchange says about the keys. Parts of it are absent from an older gateway. */
function linesOf(result: Partial<TestResult> | undefined): string[] {
  const { message, accountKind, warnings = [], success, ipBinding } = result ?? {}
  const { permissions, expiresAt, clockOffsetMs } = result ?? {}
  const kind = accountKind ? texts.accountKinds[accountKind] : undefined
  const names = permissions?.join(', ')
  const facts = [
    names === '' ? testDialog.noPermissions : names && testDialog.permissions(names),
    bindingOf(ipBinding),
    expiresAt && testDialog.expires(formatDateTime(expiresAt)),
    typeof clockOffsetMs === 'number' &&
      testDialog.clock(formatCount(Math.abs(clockOffsetMs)), clockOffsetMs >= 0),
  ]
  const about = kind && `${kind.text}: ${kind.explanation}`
  const lines = [message, about, ...(success === false ? [] : facts), ...warnings]
  return lines.filter((line): line is string => Boolean(line))
}

function bindingOf(addresses: TestResult['ipBinding'] | undefined): string | undefined {
  if (addresses === undefined) return undefined
  if (addresses === null) return testDialog.bindingUnknown
  return addresses.length === 0 ? testDialog.unbound : testDialog.bound(addresses.join(', '))
}
