import {
  ActionIcon,
  Button,
  Group,
  type MantineColorScheme,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { logout } from 'schema'
import { Link, useLocation } from 'wouter'
import { send } from '../../api/client.ts'
import { signOut, storedToken } from '../../api/session.ts'
import { Icon, type IconName, Mark } from '../../components/icons.tsx'
import { addresses, isCurrent } from '../addresses.ts'
import { topLinks } from './links.ts'
import classes from './shell.module.css'
import * as texts from './texts.ts'

/** The mark; leads to the overview. */
export function Brand() {
  return (
    <Link href={addresses.overview} aria-label={texts.brand} style={{ display: 'flex' }}>
      <Mark size={32} />
    </Link>
  )
}

/** The four links of the header on wide screens. */
export function TopNavigation() {
  const [location] = useLocation()
  return (
    <Group component="nav" aria-label={texts.mainNavigation} gap={4} wrap="nowrap">
      {topLinks.map(({ label, address }) => (
        <Link
          key={address}
          href={address}
          className={classes.topLink ?? ''}
          aria-current={isCurrent(address, location) ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </Group>
  )
}

/** The icon of each scheme, and which one follows it. */
export const SCHEMES = {
  auto: { icon: 'system', next: 'light' },
  light: { icon: 'sun', next: 'dark' },
  dark: { icon: 'moon', next: 'auto' },
} as const satisfies Record<MantineColorScheme, { icon: IconName; next: MantineColorScheme }>

/** Goes through system, light and dark; the choice outlives the page. */
export function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const label = texts.schemes[colorScheme]
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={label}
        onClick={() => setColorScheme(SCHEMES[colorScheme].next)}
      >
        <Icon name={SCHEMES[colorScheme].icon} />
      </ActionIcon>
    </Tooltip>
  )
}

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
