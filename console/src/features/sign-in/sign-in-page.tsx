import { Alert, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { useSession } from '../../api/session.ts'
import { Mark } from '../../components/mark.tsx'
import { SignInForm } from './sign-in-form.tsx'
import classes from './sign-in-page.module.css'
import * as texts from './texts.ts'
import { Water } from './water.tsx'

/** The only page of people who are not signed in; it says why a session ended by itself. */
export function SignInPage() {
  const note = useSession((state) => state.endNote)
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
          <SignInForm email={note?.email ?? ''} />
        </Stack>
      </Paper>
    </main>
  )
}
