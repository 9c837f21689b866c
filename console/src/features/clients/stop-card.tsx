import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ClientLimits, Stop, StopRequest } from 'schema'
import { resumeClient, stopClient } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { isStopUnsent, StopDialog } from '../../api/stop-dialog.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { isInForce, isUnderWay } from '../../api/stop-state.ts'
import { Card } from '../../components/card.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { ResumeDialog } from './resume-dialog.tsx'
import * as stopTexts from './stop-texts.ts'
import { useClientStop } from './use-client-stop.ts'

interface StopCardProps {
  readonly id: number
  readonly clientId: string
  readonly limits: ClientLimits
}

/** Stops a client, shows how far its stop is, and ends it. */
export function StopCard({ id, clientId, limits }: StopCardProps) {
  const { query, isStopping, isResuming, stop, resume } = useClientStop(id)
  const [asking, setAsking] = useState<'stop' | 'resume' | null>(() =>
    isStopUnsent({ client: { id, clientId } }) ? 'stop' : null,
  )
  const { data, error } = query
  const inForce = isInForce(data)
  // What the dialog asks for is done, by its own call or somebody else's.
  if (asking === 'resume' && !inForce) setAsking(null)

  const send = async (body: StopRequest) => {
    try {
      await stop(body)
      toast(toToast(stopTexts.stopped))
    } catch (failure) {
      reportFailure(failure)
    }
  }
  const end = async () => {
    try {
      await resume()
      toast(toToast(stopTexts.resume.done))
    } catch (failure) {
      reportFailure(failure)
      setAsking(null)
    }
  }
  const cancelOrders = () => inForce && void send({ reason: data.reason, cancelOrders: true })

  return (
    <Card title={stopTexts.title} description={stopTexts.description}>
      <Stack gap="md">
        {error !== undefined && data === undefined && (
          <QueryView query={query} what={stopTexts.what}>
            {() => null}
          </QueryView>
        )}
        {inForce && <StopProgress stop={data} />}
        {data != null && !inForce && <LastStop stop={data} />}
        <Group gap="sm">
          {inForce ? (
            <>
              <RoleOnly endpoint={resumeClient}>
                <Button onClick={() => setAsking('resume')}>{stopTexts.resume.label}</Button>
              </RoleOnly>
              {!isUnderWay(data) && (
                <RoleOnly endpoint={stopClient}>
                  <Button variant="default" disabled={isStopping} onClick={cancelOrders}>
                    {data.failed.length > 0 ? stopTexts.retry : stopTexts.cancel}
                  </Button>
                </RoleOnly>
              )}
            </>
          ) : (
            <RoleOnly endpoint={stopClient}>
              <Button
                color="red.9"
                leftSection={<Icon name="ban" size={16} />}
                onClick={() => setAsking('stop')}
              >
                {stopTexts.stop}
              </Button>
            </RoleOnly>
          )}
        </Group>
      </Stack>
      {asking === 'stop' && (
        <StopDialog
          of={{
            client: {
              ...{ id, clientId, state: limits.state },
              wouldHaveRefused: limits.mode === 'shadow' ? 0 : null,
            },
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'resume' && (
        <ResumeDialog
          isUnfinished={isUnderWay(data)}
          isPending={isResuming}
          onConfirm={() => void end()}
          onCancel={() => setAsking(null)}
        />
      )}
    </Card>
  )
}

const toToast = ({ title, text }: { readonly title: string; readonly text: string }) => ({
  title,
  message: text,
})

function LastStop({ stop: { reason, startedAt, resumedAt } }: { readonly stop: Stop }) {
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {stopTexts.last(reason, formatDateTime(startedAt), formatDateTime(resumedAt ?? ''))}
    </Text>
  )
}
