import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { openIdSession } from 'schema'
import { sentenceOf } from '../../api/api-error.ts'
import { readResponse, send } from '../../api/client.ts'
import {
  makeOpenIdKeys,
  type OpenIdReturn,
  openIdAddress,
  openIdChannel,
  openIdNotes,
  proofOf,
  readOpenIdReturn,
} from '../../api/openid.ts'
import * as texts from '../../api/openid-texts.ts'
import { begin } from './sign-in-form.tsx'

// One piece: the button alone would cost a request for next to nothing.

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
      openIdNotes.leave({ verifier: keys.verifier, path: `${pathname}${search}` })
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

interface OpenIdPageProps {
  /** @param failure why nobody was signed in; null when somebody was */
  readonly onDone: (failure: string | null) => void
}

/** Where the browser returns to from the provider: signs in, or tells the window that waits. */
export function OpenIdPage({ onDone }: OpenIdPageProps) {
  const [returned] = useState(takeReturn)
  useEffect(() => {
    document.title = texts.documentTitle
    if (returned.purpose === 'sign-in') void signIn(returned).then(onDone)
    else tellOpener(returned)
  }, [returned, onDone])
  const isSignIn = returned.purpose === 'sign-in'
  return (
    <Stack align="center" justify="center" h="100vh" p="md" component="main" ta="center" gap="xs">
      <Title order={1} fz="h2">
        {isSignIn ? texts.returning : texts.closeTitle}
      </Title>
      {!isSignIn && <Text>{texts.closeText}</Text>}
    </Stack>
  )
}

let taken: OpenIdReturn | undefined

/** Reads the address once, and takes the code out of it and out of the history. */
function takeReturn(): OpenIdReturn {
  taken ??= readOpenIdReturn(window.location.hash)
  if (window.location.hash !== '') history.replaceState(null, '', window.location.pathname)
  return taken
}

let signingIn: Promise<string | null> | undefined

/** Once, however often the page is rendered. */
function signIn(returned: OpenIdReturn): Promise<string | null> {
  signingIn ??= show(returned)
  return signingIn
}

async function show({ code, error }: OpenIdReturn): Promise<string | null> {
  const note = openIdNotes.take()
  const failure = error ?? (note === null ? 'OPENID_EXPIRED' : null)
  // The page that the person wanted, and no other origin's: a path alone.
  history.replaceState(null, '', note?.path.startsWith('/') === true ? note.path : '/')
  if (failure !== null || note === null) return texts.messageOf(failure ?? '')
  try {
    const response = await send(openIdSession, { body: proofOf(code, note) })
    begin(readResponse(openIdSession, response))
    return null
  } catch (thrown) {
    return sentenceOf(thrown)
  }
}

function tellOpener(returned: OpenIdReturn): void {
  const channel = openIdChannel()
  channel.postMessage(returned)
  channel.close()
  window.close()
}
