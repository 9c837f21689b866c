import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { logout } from 'schema'
import { Link } from 'wouter'
import { send } from '../../api/client.ts'
import { signOut, storedToken } from '../../api/session.ts'
import { Icon } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'
import * as texts from './texts.ts'

const NARROW = '(max-width: 30em)'
/** Beside the top navigation there is little room for the e-mail address. */
const TIGHT = '(min-width: 62em) and (max-width: 80em)'

interface AccountProps {
  readonly email: string
  readonly children: ReactNode
}

/** Who is signed in, and the way out. */
export function Account({ email, children }: AccountProps) {
  const [name, domain] = email.split(/(?=@)/)
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const isTight = useMediaQuery(TIGHT, undefined, { getInitialValueInEffect: false })
  const isSmall = isNarrow || isTight
  const icon = <Icon name="logout" size={16} />
  const common = { variant: 'default', onClick: leave, style: { flexShrink: 0 } } as const
  return (
    <Group ml="auto" gap="xs" wrap="nowrap" miw={0}>
      {children}
      <Text
        component={Link}
        href={addresses.account}
        fz={isSmall ? 'xs' : 'sm'}
        lh={1.2}
        c="dimmed"
        lineClamp={3}
        style={{ overflowWrap: 'anywhere' }}
        title={email}
      >
        {name}
        {/* Where it does not fit, it breaks at its middle rather than anywhere. */}
        <wbr />
        {domain}
      </Text>
      {isSmall ? (
        <ActionIcon
          {...common}
          size={isNarrow ? 44 : 36}
          aria-label={texts.logout}
          title={texts.logout}
        >
          {icon}
        </ActionIcon>
      ) : (
        <Button {...common} size="xs" fz="sm" h={36} px="sm" leftSection={icon}>
          {texts.logout}
        </Button>
      )}
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
