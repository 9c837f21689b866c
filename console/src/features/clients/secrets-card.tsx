import { Group, NativeSelect, SimpleGrid, Text, Title } from '@mantine/core'
import { useState } from 'react'
import {
  endOldSecret,
  type LimitsWithUsage,
  listClientSecrets,
  listClients,
  OLD_SECRET_SECONDS,
  rotateClientSecret,
  type SecretList,
} from 'schema'
import { useSWRConfig } from 'swr'
import { attempt } from '../../api/failures.tsx'
import { QueryView, queryKey, useLiveQuery } from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { useSend } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { FormDialog, showDialog } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card, Details, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import * as pageTexts from './client-page-texts.ts'
import { SecretOnceDialog } from './client-secret.tsx'
import { LimitSwitch } from './client-state.tsx'
import type { ClientRecord } from './use-clients.ts'

const { bearer, secrets: texts } = pageTexts
/** The gateway knows the last use to the minute. */
const EVERY_MS = 30_000

interface SecretsCardProps {
  readonly client: ClientRecord
  readonly limits: LimitsWithUsage
  readonly isChanging: boolean
  readonly onBearer: (isAccepted: boolean) => void
}

/** The secrets of a client that work, how one replaces the other, and how they are sent. */
export function SecretsCard({ client, limits, isChanging, onBearer }: SecretsCardProps) {
  const { id, clientId } = client
  const { mutate } = useSWRConfig()
  const input = { params: { id } }
  const query = useLiveQuery(listClientSecrets, EVERY_MS, false, input)
  const send = useSend({ readAgain: [listClients] })
  const readAgain = () => void mutate(queryKey(listClientSecrets, input))
  const create = (oldSecretValidSeconds: number) =>
    attempt(async () => {
      const body = { oldSecretValidSeconds }
      const { clientSecret } = await send(rotateClientSecret, { ...input, body })
      readAgain()
      const created = { clientId, clientSecret }
      showDialog((close) => <SecretOnceDialog created={created} onDone={close} />)
      toast({ title: texts.rotate.done.title, message: texts.rotate.done.text })
    })
  const endOld = () =>
    void confirm({
      ...{ title: texts.end.title, text: texts.end.text, label: texts.end.confirm },
      act: async () => {
        await send(endOldSecret, input)
        readAgain()
        toast({ title: texts.end.done.title, message: texts.end.done.text })
      },
    })
  return (
    <Card title={texts.title} description={texts.description}>
      <QueryView query={query} what={texts.what}>
        {({ current, old }) => (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
            <SecretDetails title={texts.current} secret={current} />
            {old === null ? (
              <Quiet>{texts.noOld}</Quiet>
            ) : (
              <SecretDetails title={texts.old} secret={old} expiresAt={old.expiresAt} />
            )}
          </SimpleGrid>
        )}
      </QueryView>
      <Group gap="sm" mt="md">
        <ActionButton
          endpoint={rotateClientSecret}
          label={texts.rotate.label}
          does={pageTexts.does.rotate}
          run={() => showDialog((close) => <RotateDialog onRotate={create} onCancel={close} />)}
        />
        {query.data?.old && (
          <ActionButton
            endpoint={endOldSecret}
            color="red"
            variant="light"
            label={texts.end.label}
            does={pageTexts.does.end}
            run={endOld}
          />
        )}
      </Group>
      <LimitSwitch
        mt="md"
        label={bearer.label}
        description={bearer.hint}
        does={limits.secretAsBearer ? pageTexts.does.noBearer : pageTexts.does.bearer}
        checked={limits.secretAsBearer}
        disabled={isChanging}
        onChange={() => onBearer(!limits.secretAsBearer)}
      />
    </Card>
  )
}

interface SecretDetailsProps {
  readonly title: string
  readonly secret: SecretList['current']
  /** Absent: it does not expire. */
  readonly expiresAt?: string
}

/** What is known of a secret; the secret itself is not. */
function SecretDetails({ title, secret, expiresAt }: SecretDetailsProps) {
  const { lastUsedAt, lastUsedFrom } = secret
  const time = lastUsedAt === null ? texts.never : formatDateTime(lastUsedAt)
  return (
    <div>
      <Title order={3} fz="sm" mb={6}>
        {title}
      </Title>
      <Details
        rows={[
          [texts.preview, secret.preview],
          [texts.lastUsed, lastUsedFrom === null ? time : texts.from(time, lastUsedFrom)],
          ...(expiresAt === undefined ? [] : [[texts.until, formatDateTime(expiresAt)] as const]),
        ]}
      />
    </div>
  )
}

interface RotateDialogProps {
  readonly onRotate: (oldSecretValidSeconds: number) => Promise<unknown>
  readonly onCancel: () => void
}

/** Asks how long the present secret still works beside a new one. */
function RotateDialog({ onRotate, onCancel }: RotateDialogProps) {
  const { title, text, duration, durations, atOnce, submit, submitting } = texts.rotate
  const [seconds, setSeconds] = useState(String(OLD_SECRET_SECONDS))
  return (
    <FormDialog
      title={title}
      label={submit}
      pendingLabel={submitting}
      onSubmit={() => onRotate(Number(seconds))}
      onClose={onCancel}
    >
      <Text fz="sm">{text}</Text>
      <NativeSelect
        label={duration}
        data={[...durations]}
        value={seconds}
        onChange={(event) => setSeconds(event.currentTarget.value)}
        data-autofocus
      />
      <Text fz="sm" fw={600} role="status">
        {seconds === '0' && atOnce}
      </Text>
    </FormDialog>
  )
}
