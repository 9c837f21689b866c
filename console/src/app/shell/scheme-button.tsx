import { ActionIcon, type MantineColorScheme, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from '../../components/icons.tsx'

const NEXT: Record<MantineColorScheme, MantineColorScheme> = {
  auto: 'light',
  light: 'dark',
  dark: 'auto',
}
const LOOK: Record<MantineColorScheme, { icon: IconName; name: string }> = {
  auto: { icon: 'system', name: 'same as the system' },
  light: { icon: 'sun', name: 'light' },
  dark: { icon: 'moon', name: 'dark' },
}

/** Goes through system, light and dark; the choice outlives the page. */
export function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { icon, name } = LOOK[colorScheme]
  const label = `Colour scheme: ${name}`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={label}
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Icon name={icon} />
      </ActionIcon>
    </Tooltip>
  )
}
