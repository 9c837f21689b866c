import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { logout } from 'schema'
import { send } from '../../api/client.ts'
import { signOut, storedToken } from '../../api/session.ts'
import { Icon } from '../../components/icons.tsx'
import classes from './shell.module.css'

interface AccountProps {
  readonly email: string
  readonly children: ReactNode
}

/** Who is signed in, and the way out. */
export function Account({ email, children }: AccountProps) {
  return (
    <Group ml="auto" gap="xs" wrap="nowrap" miw={0}>
      {children}
      <Text fz="sm" c="dimmed" className={classes.email} title={email}>
        {email}
      </Text>
      <Button
        variant="default"
        size="xs"
        fz="sm"
        h={36}
        px="sm"
        leftSection={<Icon name="logout" size={16} />}
        onClick={leave}
        style={{ flexShrink: 0 }}
      >
        Logout
      </Button>
    </Group>
  )
}

export function leave(): void {
  const token = storedToken()
  signOut()
  // Asks the gateway to forget the token. The person is signed out here either way, and a token
  // that could not be revoked ends by itself.
  send(logout, {}, { token }).catch(() => {})
}
