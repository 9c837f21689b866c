import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { Card } from '../../components/card.tsx'
import { toast } from '../../components/toast.tsx'
import type { NewSecret } from './create-client-form.tsx'
import { EndSecretDialog } from './end-secret-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretDetails } from './secret-details.tsx'
import { SecretOnceDialog } from './secret-once-dialog.tsx'
import { secretTexts } from './secret-texts.ts'
import { useClientSecrets } from './use-client-secrets.ts'
import type { ClientRecord } from './use-clients.ts'

const { title, description, current, old, noOld, rotate: rotateTexts, end } = secretTexts

/** The secrets of a client that work, and how one replaces the other. */
export function SecretsCard({ client }: { readonly client: ClientRecord }) {
  const { query, isRotating, isEnding, rotate, endOld } = useClientSecrets(client.id)
  const [asking, setAsking] = useState<'rotate' | 'end' | null>(null)
  // In the memory of this page only, until it is taken along.
  const [created, setCreated] = useState<NewSecret | null>(null)

  const create = async (validSeconds: number) => {
    try {
      const clientSecret = await rotate(validSeconds)
      setCreated({ clientId: client.clientId, clientSecret })
      toast({ title: rotateTexts.done.title, message: rotateTexts.done.text })
      setAsking(null)
    } catch (error) {
      reportFailure(error)
    }
  }
  const finish = async () => {
    try {
      await endOld()
      toast({ title: end.done.title, message: end.done.text })
    } catch (error) {
      reportFailure(error)
    }
    setAsking(null)
  }

  return (
    <Card title={title} description={description}>
      <QueryView query={query} what="the secrets of the client">
        {(secrets) => (
          <Stack gap="md">
            <SecretDetails title={current} secret={secrets.current} />
            {secrets.old === null ? (
              <Text fz="sm" c="dimmed">
                {noOld}
              </Text>
            ) : (
              <SecretDetails title={old} secret={secrets.old} expiresAt={secrets.old.expiresAt} />
            )}
            <Group gap="sm">
              <Button variant="default" onClick={() => setAsking('rotate')}>
                {rotateTexts.label}
              </Button>
              {secrets.old !== null && (
                <Button color="red" variant="light" onClick={() => setAsking('end')}>
                  {end.label}
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </QueryView>
      {asking === 'rotate' && (
        <RotateDialog
          isPending={isRotating}
          onRotate={(seconds) => void create(seconds)}
          onCancel={() => setAsking(null)}
        />
      )}
      {asking === 'end' && (
        <EndSecretDialog
          isPending={isEnding}
          onConfirm={() => void finish()}
          onCancel={() => setAsking(null)}
        />
      )}
      {created !== null && <SecretOnceDialog created={created} onDone={() => setCreated(null)} />}
    </Card>
  )
}
