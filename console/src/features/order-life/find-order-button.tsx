import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../../components/icons.tsx'

const FindOrderDialog = lazy(() => import('./find-order-dialog.tsx'))
const LABEL = 'Find an order'
/** From here its words fit between the top navigation and the e-mail address. */
const ROOM = '(min-width: 80em)'

/**
 * Opens the field that finds an order. `/` does so too, or takes the keyboard to the search of the
 * page, if it has one.
 */
export function FindOrderButton() {
  const [isOpen, dialog] = useDisclosure(false)
  const hasRoom = useMediaQuery(ROOM, undefined, { getInitialValueInEffect: false })
  // Its script is loaded when somebody opens it first, and it stays for the way out.
  const [wasOpen, setWasOpen] = useState(false)
  const open = () => {
    setWasOpen(true)
    dialog.open()
  }
  useHotkeys([['/', () => focusSearch() || open()]])
  return (
    <>
      {hasRoom ? (
        <Button
          variant="default"
          size="xs"
          h={36}
          fz="sm"
          fw={400}
          c="dimmed"
          leftSection={<Icon name="search" size={16} />}
          aria-keyshortcuts="/"
          onClick={open}
          style={{ flexShrink: 0 }}
        >
          {LABEL}
        </Button>
      ) : (
        <Tooltip label={`${LABEL} ( / )`}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={LABEL}
            aria-keyshortcuts="/"
            onClick={open}
          >
            <Icon name="search" />
          </ActionIcon>
        </Tooltip>
      )}
      {wasOpen && (
        <Suspense fallback={null}>
          <FindOrderDialog isOpen={isOpen} onClose={dialog.close} />
        </Suspense>
      )}
    </>
  )
}

/** False when the page has no search of its own, or a dialog covers it. */
function focusSearch(): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]')
  field?.focus()
  return field !== null
}
