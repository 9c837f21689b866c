import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { changePassword, listOwnSessions, NEW_PASSWORD_LENGTH_MIN } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useAction } from '../../api/use-action.ts'
import { Card } from '../../components/card.tsx'
import { SecretInput } from '../../components/secret-input.tsx'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

/** A new password. */
export function PasswordCard({ email }: { readonly email: string }) {
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
