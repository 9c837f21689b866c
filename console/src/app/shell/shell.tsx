import { ActionIcon, Alert, Group, RemoveScroll } from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery, useNetwork } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import type { User } from 'schema'
import { useLocation } from 'wouter'
import { useKeepFocus } from '../../components/focus.ts'
import { Icon } from '../../components/icons.tsx'
import { loadAhead } from '../../components/load-ahead.ts'
import { loadToasts, toast } from '../../components/toast.tsx'
import { loaderOf } from '../addresses.ts'
import { PaletteButton } from '../palette/palette-button.tsx'
import { ExchangeStrip } from './exchange-strip.tsx'
import { Account, Brand, SchemeButton, TopNavigation } from './header.tsx'
import classes from './shell.module.css'
import { Sidebar } from './sidebar.tsx'
import * as texts from './texts.ts'

/** Mantine's `md`: from here the top links and the sidebar are there without a menu button. */
const WIDE = '(min-width: 62em)'
const PANEL_ID = 'navigation'
const HEADER_HEIGHT = 56

/** A failure has to be shown without a network too; the page itself comes first. */
const TOASTS_AFTER_MS = 3000

interface ShellProps {
  readonly user: User
  readonly children: ReactNode
}

/**
 * The frame of every page: top navigation, sidebar, and on narrow screens one panel that holds
 * both.
 */
export function Shell({ user, children }: ShellProps) {
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? true
  const [isOpen, panel] = useDisclosure(false)
  const [location] = useLocation()
  const burger = useRef<HTMLButtonElement>(null)
  const isPanelOpen = isOpen && !isWide

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what the panel closes on.
  useEffect(() => panel.close(), [location])
  const closeByKey = () => {
    if (!isPanelOpen) return
    panel.close()
    burger.current?.focus()
  }
  useHotkeys([['Escape', closeByKey]], [])
  useFetchAhead()
  useKeepFocus()
  useEffect(() => {
    const timer = setTimeout(() => void loadAhead(loadToasts), TOASTS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])

  return (
    <>
      <a href="#main" className={classes.skip}>
        {texts.skip}
      </a>
      {/* A dialog takes the scroll bar away: the header must not grow by its width. */}
      <header className={`${classes.header} ${RemoveScroll.classNames.zeroRight}`}>
        <Group h={HEADER_HEIGHT} px="md" gap="xs" wrap="nowrap">
          {!isWide && (
            <ActionIcon
              ref={burger}
              variant="subtle"
              color="gray"
              size={44}
              ml={-10}
              onClick={panel.toggle}
              aria-label={texts.menu}
              aria-expanded={isOpen}
              aria-controls={PANEL_ID}
            >
              <Icon name={isOpen ? 'close' : 'menu'} size={22} />
            </ActionIcon>
          )}
          {isWide ? <TopNavigation /> : <Brand />}
          <Account email={user.email}>
            <PaletteButton />
            {isWide && <SchemeButton />}
          </Account>
        </Group>
        {!isPanelOpen && <ExchangeStrip />}
      </header>
      <nav
        id={PANEL_ID}
        className={classes.sidebar}
        inert={!isWide && !isOpen}
        data-closed={!isWide && !isOpen}
      >
        <Sidebar isPanel={!isWide} onNavigate={panel.close} />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main} inert={isPanelOpen}>
        <div className={classes.page}>
          <OfflineNote />
          {children}
        </div>
      </main>
    </>
  )
}

/**
 * Stays while the browser has no network. Forms send nothing then, nor does `useAction`; what
 * stops trading still tries, because a gateway on this machine can be reached without a network.
 */
function OfflineNote() {
  const { online } = useNetwork()
  useEffect(() => {
    if (online) return
    const refuse = (event: SubmitEvent) => {
      if (event.target instanceof HTMLElement && 'alsoOffline' in event.target.dataset) return
      event.preventDefault()
      event.stopPropagation()
      toast({ title: texts.offline, message: texts.offlineRefused, tone: 'failure' })
    }
    document.addEventListener('submit', refuse, { capture: true })
    return () => document.removeEventListener('submit', refuse, { capture: true })
  }, [online])

  if (online) return null
  return (
    <Alert color="yellow" mb="md" icon={<Icon name="alert" />} title={texts.offline} role="status">
      {texts.offlineText}
    </Alert>
  )
}

const asked = new Set<string>()

/** Fetches the code of a page that somebody is about to open. */
async function fetchAhead(path: string): Promise<void> {
  const load = loaderOf(path)
  if (load === undefined || asked.has(path)) return
  asked.add(path)
  if (!(await loadAhead(load))) asked.delete(path)
}

/** Every link fetches the code of its page when the pointer or the keyboard reaches it. */
function useFetchAhead(): void {
  useEffect(() => {
    const atLink = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (link?.origin === window.location.origin) void fetchAhead(link.pathname)
    }
    document.addEventListener('pointerover', atLink)
    document.addEventListener('focusin', atLink)
    return () => {
      document.removeEventListener('pointerover', atLink)
      document.removeEventListener('focusin', atLink)
    }
  }, [])
}
