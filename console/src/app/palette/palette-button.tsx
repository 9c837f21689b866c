import { ActionIcon, Button, Code, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { Icon } from '../../components/icons.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { type Opened, usePaletteKeys } from './keys.ts'
import * as texts from './texts.ts'

const Palette = lazyPart(() => import('./palette.tsx'))
/** From here its words fit between the top navigation and the e-mail address. */
const ROOM = '(min-width: 80em)'
const NARROW = '(max-width: 48em)'
const KEYS = 'Control+K Meta+K /'

/** Opens the palette, and owns its shortcuts. Its code is loaded when somebody is about to. */
export function PaletteButton() {
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const hasRoom = useMediaQuery(ROOM, undefined, { getInitialValueInEffect: false })
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const [wasOpened, setWasOpened] = useState(false)
  const open = (what: Opened) => {
    setWasOpened(true)
    setOpened(what)
  }
  const ahead = () => void Palette.ahead()
  usePaletteKeys(open, () => setOpened(null), ahead)
  const common = {
    ref: button,
    variant: 'default',
    'aria-keyshortcuts': KEYS,
    'aria-haspopup': 'dialog',
    onPointerEnter: ahead,
    onFocus: ahead,
    onClick: () => open('palette'),
  } as const
  return (
    <>
      {hasRoom ? (
        <Button
          {...common}
          size="xs"
          h={36}
          fz="sm"
          fw={400}
          c="dimmed"
          leftSection={<Icon name="search" size={16} />}
          rightSection={
            <Code component="kbd" aria-hidden>
              {isMac() ? '⌘ K' : texts.keys}
            </Code>
          }
          style={{ flexShrink: 0 }}
        >
          {texts.open}
        </Button>
      ) : (
        <Tooltip label={texts.title}>
          <ActionIcon {...common} size={isNarrow ? 44 : 36} aria-label={texts.open}>
            <Icon name="search" />
          </ActionIcon>
        </Tooltip>
      )}
      {wasOpened && <Palette opened={opened} onOpen={setOpened} />}
    </>
  )
}

const isMac = () => /mac|iphone|ipad/i.test(navigator.userAgent)
