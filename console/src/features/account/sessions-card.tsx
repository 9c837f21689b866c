import { Button, Stack } from '@mantine/core'
import { type AdminSession, endOwnSession, listOwnSessions } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { useAction } from '../../api/use-action.ts'
import { useQuery } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { deviceOf } from './device.ts'
import { Row } from './row.tsx'
import * as texts from './texts.ts'

/** Where the person is signed in. */
export function SessionsCard() {
  const query = useQuery(listOwnSessions)
  const { trigger, isPending } = useAction(endOwnSession, { readAgain: [listOwnSessions] })
  const end = async ({ id }: AdminSession) => {
    try {
      await trigger({ params: { id } })
      toast({ title: texts.ended, message: texts.endedText })
    } catch (error) {
      reportFailure(error)
    }
  }
  return (
    <Card title={texts.sessions} description={texts.sessionsHint}>
      <QueryView query={query} what={texts.sessionsWhat}>
        {(sessions) => (
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
            {sessions.map((session) => {
              const { id, device, address, lastUsedAt, isCurrent } = session
              const name = deviceOf(device)
              return (
                <Row
                  key={id}
                  title={
                    <>
                      <span title={device ?? undefined}>{name}</span>
                      {isCurrent && <Tag colour="green">{texts.current}</Tag>}
                    </>
                  }
                  facts={texts.sessionFacts(address, formatDateTime(lastUsedAt))}
                >
                  {!isCurrent && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={texts.endOf(name)}
                      disabled={isPending}
                      onClick={() => void end(session)}
                    >
                      {texts.end}
                    </Button>
                  )}
                </Row>
              )
            })}
          </Stack>
        )}
      </QueryView>
    </Card>
  )
}
