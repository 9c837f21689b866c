import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import {
  type AdminSession,
  changePassword,
  endOwnSession,
  getAccount,
  listOwnSessions,
  NEW_PASSWORD_LENGTH_MIN,
} from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { attempt, reportFailure } from '../../api/failures.tsx'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { roles } from '../../api/texts.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../components/format.ts'
import { Card, PageHeader, Quiet } from '../../components/page.tsx'
import { SecretInput } from '../../components/secret-input.tsx'
import { Tag } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { deviceOf } from './device.ts'
import { FactorsCard, Row } from './factors-card.tsx'
import * as texts from './texts.ts'

/** What a person can see and change of their own: role, second factors, password, sessions. */
export default function AccountPage() {
  const query = useQuery(getAccount)
  const { data } = query
  return (
    <>
      <PageHeader
        title={texts.title}
        description={data && texts.description(data.email, roles[data.role])}
      />
      <QueryView query={query} what={texts.what}>
        {(account) => (
          <Stack gap="md">
            <FactorsCard account={account} />
            <SimpleGrid cols={{ base: 1, md: account.hasPassword === false ? 1 : 2 }} spacing="md">
              {account.hasPassword !== false && <PasswordCard email={account.email} />}
              <Card title={texts.roleTitle}>
                <Text fz="sm">{texts.roleHints[account.role]}</Text>
                {typeof account.provider === 'string' && (
                  <Quiet mt="xs">{texts.roleFrom(account.provider)}</Quiet>
                )}
              </Card>
            </SimpleGrid>
            <SessionsCard />
          </Stack>
        )}
      </QueryView>
    </>
  )
}

/** A new password. */
function PasswordCard({ email }: { readonly email: string }) {
  const { trigger, isPending } = useAction(changePassword, { readAgain: [listOwnSessions] })
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const rule = texts.passwordRule(NEW_PASSWORD_LENGTH_MIN)
  const refuse = (why: string) => {
    setProblem(why)
    field.current?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (password.length < NEW_PASSWORD_LENGTH_MIN)
      return refuse(texts.passwordShort(password.length))
    setProblem(null)
    try {
      const { endedSessions } = await trigger({ body: { newPassword: password } })
      setPassword('')
      toast({ title: texts.passwordChanged, message: texts.passwordEnded(endedSessions) })
    } catch (error) {
      const { code, message } = error instanceof ApiError ? error.problem : {}
      if (code?.startsWith('PASSWORD_') === true) refuse(message ?? rule)
      else reportFailure(error)
    }
  }
  useActions(() => [
    {
      ...{ label: texts.passwordChange, does: texts.does.password },
      run: () => field.current?.focus(),
    },
  ])
  return (
    <Card title={texts.password} description={texts.passwordHint}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {/* Tells a password manager whose password it is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <SecretInput
            ref={field}
            label={texts.passwordNew}
            description={rule}
            name="new-password"
            autoComplete="new-password"
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': texts.passwordShow }}
            value={password}
            error={problem}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Group>
            <Button type="submit" disabled={isPending}>
              {isPending ? texts.saving : texts.passwordChange}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

/** Where the person is signed in. */
function SessionsCard() {
  const query = useQuery(listOwnSessions)
  const { trigger, isPending } = useAction(endOwnSession, { readAgain: [listOwnSessions] })
  const end = ({ id }: AdminSession) =>
    attempt(async () => {
      await trigger({ params: { id } })
      toast({ title: texts.ended, message: texts.endedText })
    })
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
                    <ActionButton
                      isOfRow
                      size="xs"
                      label={texts.end}
                      name={texts.endOf(name)}
                      does={texts.does.end}
                      disabled={isPending}
                      run={() => void end(session)}
                    />
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
