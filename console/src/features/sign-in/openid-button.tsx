import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { leaveOpenIdNote, makeOpenIdKeys, openIdAddress } from '../../api/openid.ts'
import * as texts from '../../api/openid-texts.ts'

interface OpenIdButtonProps {
  /** What people call the provider. */
  readonly name: string
  /** Whether there is no other way to sign in. */
  readonly isOnly: boolean
  /** Why the attempt before has failed; null when there was none. */
  readonly ended: string | null
}

/** Leads to the provider, in this tab. */
export function OpenIdButton({ name, isOnly, ended }: OpenIdButtonProps) {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const failure = problem ?? (isOnly ? ended : null)
  const go = async () => {
    setPending(true)
    try {
      const keys = await makeOpenIdKeys()
      const { pathname, search } = window.location
      leaveOpenIdNote({ verifier: keys.verifier, path: `${pathname}${search}` })
      window.location.assign(openIdAddress(keys, 'sign-in'))
    } catch {
      setProblem(texts.insecure)
      setPending(false)
    }
  }
  return (
    <Stack gap="md">
      {failure !== null && (
        <Alert variant="light" color="red" title={texts.ended}>
          {failure}
        </Alert>
      )}
      {!isOnly && (
        <Text c="dimmed" fz="sm" ta="center">
          {texts.or}
        </Text>
      )}
      <Button
        size="md"
        fullWidth
        variant={isOnly ? 'filled' : 'default'}
        disabled={isPending}
        autoFocus={isOnly}
        onClick={() => void go()}
      >
        {isPending ? texts.signInPending : texts.signInAt(name)}
      </Button>
    </Stack>
  )
}
