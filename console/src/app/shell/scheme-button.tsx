import { ActionIcon, type MantineColorScheme, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from '../../components/icons.tsx'
import * as texts from './texts.ts'

const NEXT: Record<MantineColorScheme, MantineColorScheme> = {
  auto: 'light',
  light: 'dark',
  dark: 'auto',
}
const ICONS = { auto: 'system', light: 'sun', dark: 'moon' } as const satisfies Record<
  MantineColorScheme,
  IconName
>

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
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Icon name={ICONS[colorScheme]} />
      </ActionIcon>
    </Tooltip>
  )
}
