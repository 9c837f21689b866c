import { Alert, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { authMethods, type ResponseOf, type SignInNeeded } from 'schema'
import { readResponse, send } from '../../api/client.ts'
import { hasOpenId, loadGatewayUrl } from '../../api/gateway-url.ts'
import { useSession } from '../../api/session.ts'
import { Mark } from '../../components/icons.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { useEvery } from '../../components/timers.ts'
import { SignInForm } from './sign-in-form.tsx'
import classes from './sign-in-page.module.css'
import * as texts from './texts.ts'

const SecondStep = lazyPart(() => import('./second-step.tsx'), <Loader mx="auto" />)
const OpenIdButton = lazyPart(
  async () => ({ default: (await import('./openid.tsx')).OpenIdButton }),
  <Loader mx="auto" />,
)

interface SignInPageProps {
  /** Why signing in at the provider has failed; null when nobody tried. */
  readonly failure: string | null
}

interface Step {
  /** Null: the password comes first. */
  readonly waiting: SignInNeeded | null
  readonly email: string
  /** Why the second step has ended. */
  readonly ended: string | null
}

/** The only page of people who are not signed in; it says why a session ended by itself. */
export function SignInPage({ failure }: SignInPageProps) {
  const { password, openid } = useMethods()
  const note = useSession((state) => state.endNote)
  const [step, setStep] = useState<Step>({
    waiting: null,
    email: note?.email ?? '',
    ended: failure,
  })
  useEffect(() => {
    document.title = texts.documentTitle
  }, [])

  return (
    <main className={classes.page}>
      <Water />
      <Paper withBorder shadow="sm" p="xl" radius="lg" className={classes.card}>
        <Stack gap="lg">
          <div>
            <Mark size={44} />
            <Title order={1} fz="h2" mt="md">
              {texts.heading}
            </Title>
            <Text c="dimmed" fz="sm" mt={4}>
              {texts.subtitle}
            </Text>
          </div>
          {note !== null && (
            <Alert
              variant="light"
              color="yellow"
              title={texts.ended[note.reason].title}
              role="status"
            >
              {texts.ended[note.reason].text}
            </Alert>
          )}
          {step.waiting === null ? (
            <>
              {password && (
                <SignInForm
                  email={step.email}
                  ended={step.ended}
                  onSecondStep={(waiting, email) => setStep({ waiting, email, ended: null })}
                />
              )}
              {openid !== null && (
                <OpenIdButton name={openid.name} isOnly={!password} ended={step.ended} />
              )}
            </>
          ) : (
            <SecondStep
              waiting={step.waiting}
              onRestart={(ended) => setStep({ ...step, waiting: null, ended })}
            />
          )}
        </Stack>
      </Paper>
    </main>
  )
}

type Methods = ResponseOf<typeof authMethods>

const ASK_AGAIN_MS = 5_000
const BY_PASSWORD: Methods = { password: true, openid: null }

/**
 * How people can sign in: by password, unless the console's settings say that there may be another
 * way. Until that is known, by password too, and the gateway is asked again.
 */
function useMethods(): Methods {
  const [known, setKnown] = useState<Methods>()
  useEffect(() => void readMethods().then(setKnown), [])
  useEvery(ASK_AGAIN_MS, () => readMethods().then(setKnown), known !== undefined)
  return known ?? BY_PASSWORD
}

/** Undefined when it cannot be read: signing in says that the gateway cannot be reached. */
async function readMethods(): Promise<Methods | undefined> {
  try {
    await loadGatewayUrl()
    return hasOpenId() ? readResponse(authMethods, await send(authMethods)) : BY_PASSWORD
  } catch {
    return undefined
  }
}

// Each line lies lower and stronger than the one before: calm water below the gate.
const WAVES = [
  { path: 'M0 70 C 240 30, 480 110, 720 70 S 1200 30, 1440 70 V 320 H 0 Z', opacity: 0.06 },
  { path: 'M0 140 C 300 100, 540 190, 840 140 S 1260 110, 1440 140 V 320 H 0 Z', opacity: 0.09 },
  { path: 'M0 220 C 220 190, 520 260, 760 220 S 1220 190, 1440 220 V 320 H 0 Z', opacity: 0.14 },
]

/** Decoration behind the sign-in card. */
function Water() {
  return (
    <svg
      className={classes.water}
      viewBox="0 0 1440 320"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {WAVES.map(({ path, opacity }) => (
        <path key={path} d={path} fill="currentColor" opacity={opacity} />
      ))}
    </svg>
  )
}
