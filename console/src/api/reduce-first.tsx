import { Alert, Button, Group } from '@mantine/core'
import { changeClientLimits, getClientLimits, getOperations, listClients } from 'schema'
import { useSWRConfig } from 'swr'
import { useGuard } from '../components/confirm-dialog.tsx'
import { Icon } from '../components/icons.tsx'
import { toast } from '../components/toast.tsx'
import { queryKey } from './query-key.ts'
import { reportFailure } from './report-failure.tsx'
import { reduceFirst as words } from './stop-texts.ts'
import { useAction } from './use-action.ts'

interface ReduceFirstProps {
  readonly id: number
  /** The client is reducing now. */
  readonly onDone: () => void
}

/** What comes before a stop: a client that opens nothing more and still closes its positions. */
export function ReduceFirst({ id, onDone }: ReduceFirstProps) {
  const { mutate } = useSWRConfig()
  const isGuarded = useGuard()
  const { trigger, isPending } = useAction(changeClientLimits, {
    readAgain: [getOperations, listClients],
    alsoOffline: true,
  })
  const reduce = async () => {
    try {
      const { mode } = await trigger({ params: { id }, body: { state: 'reducing' } })
      void mutate(queryKey(getClientLimits, { params: { id } }))
      if (mode === 'shadow') toast({ ...words.inShadow, tone: 'failure' })
      else {
        toast(words.done)
        onDone()
      }
    } catch (failure) {
      reportFailure(failure)
    }
  }
  return (
    <Alert variant="light" icon={<Icon name="shield" />} title={words.title}>
      {words.text}
      <Group mt="sm">
        <Button
          size="xs"
          variant="default"
          disabled={isGuarded || isPending}
          onClick={() => void reduce()}
        >
          {words.label}
        </Button>
      </Group>
    </Alert>
  )
}
