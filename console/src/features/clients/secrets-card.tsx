import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { endOldSecret, rotateClientSecret } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { Card } from '../../components/card.tsx'
import { toast } from '../../components/toast.tsx'
import type { NewSecret } from './create-client-form.tsx'
import { EndSecretDialog } from './end-secret-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretDetails } from './secret-details.tsx'
import { SecretOnceDialog } from './secret-once-dialog.tsx'
import * as secretTexts from './secret-texts.ts'
import { useClientSecrets } from './use-client-secrets.ts'
import type { ClientRecord } from './use-clients.ts'

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
      toast({ title: secretTexts.rotate.done.title, message: secretTexts.rotate.done.text })
      setAsking(null)
    } catch (error) {
      reportFailure(error)
    }
  }
  const finish = async () => {
    try {
      await endOld()
      toast({ title: secretTexts.end.done.title, message: secretTexts.end.done.text })
    } catch (error) {
      reportFailure(error)
    }
    setAsking(null)
  }

  return (
    <Card title={secretTexts.title} description={secretTexts.description}>
      <QueryView query={query} what={secretTexts.what}>
        {(secrets) => (
          <Stack gap="md">
            <SecretDetails title={secretTexts.current} secret={secrets.current} />
            {secrets.old === null ? (
              <Text fz="sm" c="dimmed">
                {secretTexts.noOld}
              </Text>
            ) : (
              <SecretDetails
                title={secretTexts.old}
                secret={secrets.old}
                expiresAt={secrets.old.expiresAt}
              />
            )}
            <Group gap="sm">
              <RoleOnly endpoint={rotateClientSecret}>
                <Button variant="default" onClick={() => setAsking('rotate')}>
                  {secretTexts.rotate.label}
                </Button>
              </RoleOnly>
              {secrets.old !== null && (
                <RoleOnly endpoint={endOldSecret}>
                  <Button color="red" variant="light" onClick={() => setAsking('end')}>
                    {secretTexts.end.label}
                  </Button>
                </RoleOnly>
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
