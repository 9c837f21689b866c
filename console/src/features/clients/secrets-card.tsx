import {
  Button,
  Group,
  Modal,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import {
  endOldSecret,
  type LimitsWithUsage,
  listClientSecrets,
  listClients,
  OLD_SECRET_SECONDS,
  replaceClientLimits,
  rotateClientSecret,
  type SecretList,
} from 'schema'
import { useSWRConfig } from 'swr'
import { reportFailure } from '../../api/failures.tsx'
import { QueryView, queryKey, useLiveQuery } from '../../api/queries.tsx'
import { mayCall, RoleOnly, useRole } from '../../api/role.tsx'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { useFocusReturn } from '../../components/focus.ts'
import { formatDateTime } from '../../components/format.ts'
import { Card, Details } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import * as pageTexts from './client-page-texts.ts'
import { SecretOnceDialog } from './client-secret.tsx'
import { cancel } from './texts.ts'
import type { ClientRecord, NewSecret } from './use-clients.ts'

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
  const rotating = useAction(rotateClientSecret, { readAgain: [listClients] })
  const ending = useAction(endOldSecret)
  const readAgain = () => void mutate(queryKey(listClientSecrets, input))
  const [isAsking, setAsking] = useState(false)
  // In the memory of this page only, until it is taken along.
  const [created, setCreated] = useState<NewSecret | null>(null)

  const create = async (oldSecretValidSeconds: number) => {
    try {
      const { clientSecret } = await rotating.trigger({ ...input, body: { oldSecretValidSeconds } })
      readAgain()
      setCreated({ clientId, clientSecret })
      toast({ title: texts.rotate.done.title, message: texts.rotate.done.text })
      setAsking(false)
    } catch (error) {
      reportFailure(error)
    }
  }
  const { done, confirm: label, ...end } = texts.end
  const endOld = () =>
    void confirm({
      ...{ title: end.title, text: end.text, label },
      act: async () => {
        await ending.trigger(input)
        readAgain()
        toast({ title: done.title, message: done.text })
      },
    })
  const role = useRole()
  useActions(() => [
    {
      ...{ label: texts.rotate.label, does: pageTexts.does.rotate, run: () => setAsking(true) },
      when: mayCall(role, rotateClientSecret),
    },
    {
      ...{ label: end.label, does: pageTexts.does.end, run: endOld },
      when: Boolean(query.data?.old) && mayCall(role, endOldSecret),
    },
  ])
  return (
    <Card title={texts.title} description={texts.description}>
      <QueryView query={query} what={texts.what}>
        {({ current, old }) => (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
            <SecretDetails title={texts.current} secret={current} />
            {old === null ? (
              <Text fz="sm" c="dimmed">
                {texts.noOld}
              </Text>
            ) : (
              <SecretDetails title={texts.old} secret={old} expiresAt={old.expiresAt} />
            )}
          </SimpleGrid>
        )}
      </QueryView>
      <Group gap="sm" mt="md">
        <RoleOnly endpoint={rotateClientSecret}>
          <Button variant="default" onClick={() => setAsking(true)}>
            {texts.rotate.label}
          </Button>
        </RoleOnly>
        {query.data?.old && (
          <RoleOnly endpoint={endOldSecret}>
            <Button color="red" variant="light" onClick={endOld}>
              {end.label}
            </Button>
          </RoleOnly>
        )}
      </Group>
      <RoleOnly endpoint={replaceClientLimits}>
        <Switch
          mt="md"
          label={bearer.label}
          description={bearer.hint}
          checked={limits.secretAsBearer}
          disabled={isChanging}
          onChange={() => onBearer(!limits.secretAsBearer)}
        />
      </RoleOnly>
      {isAsking && (
        <RotateDialog
          isPending={rotating.isPending}
          onRotate={(seconds) => void create(seconds)}
          onCancel={() => setAsking(false)}
        />
      )}
      {created !== null && <SecretOnceDialog created={created} onDone={() => setCreated(null)} />}
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
  readonly isPending: boolean
  readonly onRotate: (oldSecretValidSeconds: number) => void
  readonly onCancel: () => void
}

/** Asks how long the present secret still works beside a new one. */
function RotateDialog({ isPending, onRotate, onCancel }: RotateDialogProps) {
  useFocusReturn()
  const { title, text, duration, durations, atOnce, submit, submitting } = texts.rotate
  const [seconds, setSeconds] = useState(String(OLD_SECRET_SECONDS))
  return (
    <Modal opened onClose={onCancel} title={title} centered>
      <Stack>
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
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {cancel}
          </Button>
          <Button disabled={isPending} onClick={() => onRotate(Number(seconds))}>
            {isPending ? submitting : submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
