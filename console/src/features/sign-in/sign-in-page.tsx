import { Alert, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { SignInNeeded } from 'schema'
import { useSession } from '../../api/session.ts'
import { Mark } from '../../components/mark.tsx'
import { SignInForm } from './sign-in-form.tsx'
import classes from './sign-in-page.module.css'
import * as texts from './texts.ts'
import { useMethods } from './use-methods.ts'
import { Water } from './water.tsx'

const SecondStep = lazy(() => import('./second-step.tsx'))
const OpenIdButton = lazy(async () => ({ default: (await import('./openid.ts')).OpenIdButton }))

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
                <Suspense fallback={<Loader mx="auto" />}>
                  <OpenIdButton name={openid.name} isOnly={!password} ended={step.ended} />
                </Suspense>
              )}
            </>
          ) : (
            <Suspense fallback={<Loader mx="auto" />}>
              <SecondStep
                waiting={step.waiting}
                onRestart={(ended) => setStep({ ...step, waiting: null, ended })}
              />
            </Suspense>
          )}
        </Stack>
      </Paper>
    </main>
  )
}
