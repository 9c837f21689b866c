import { Popover, UnstyledButton } from '@mantine/core'
import type { KeyboardEvent, ReactElement } from 'react'
import { Icon } from './icons.tsx'
import classes from './menu-button.module.css'
import type { MenuAct } from './menu-button.tsx'

interface ActsMenuProps {
  readonly acts: readonly MenuAct[]
  readonly onClose: () => void
  /** What the menu is of. */
  readonly children: ReactElement
}

/** Acts below a button, by pointer and by arrow keys. Mantine's own menu is 12 kB. */
export default function ActsMenu({ acts, onClose, children }: ActsMenuProps) {
  const act = (run: () => void) => {
    onClose()
    run()
  }
  return (
    <Popover opened onChange={onClose} position="bottom-end" trapFocus>
      <Popover.Target popupType="menu">{children}</Popover.Target>
      <Popover.Dropdown role="menu" p={4} onKeyDown={stepByKey}>
        {acts.map(({ label, icon, isDangerous = false, run }) => (
          <UnstyledButton
            key={label}
            role="menuitem"
            className={classes.act}
            data-dangerous={isDangerous}
            onClick={() => act(run)}
          >
            {icon && <Icon name={icon} size={14} />}
            <span>{label}</span>
          </UnstyledButton>
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}

function stepByKey(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  event.stopPropagation()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? items.indexOf(activeElement) : -1
  items[(at + step + items.length) % items.length]?.focus()
}
