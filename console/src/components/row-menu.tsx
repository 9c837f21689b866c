import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'
import { Icon } from './icons.tsx'
import classes from './row-menu.module.css'

/** What can be done with a row. */
interface RowAct {
  readonly label: string
  /** It takes something away. */
  readonly isDangerous?: boolean
  readonly onAct: () => void
}

interface RowMenuProps {
  /** Names the row: `Actions of grid-bot`. */
  readonly label: string
  readonly acts: readonly RowAct[]
}

/** The acts of a row behind one button, where several buttons would crowd it. */
export function RowMenu({ label, acts }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    // In the page's landmark, not beside it; without the library's hidden element among the items.
    <Menu
      position="bottom-end"
      transitionProps={{ duration: 0 }}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={button} variant="default" aria-label={label} title={label}>
          <Icon name="dots" size={16} strokeWidth={3} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        {acts.map(({ label: name, isDangerous = false, onAct }) => (
          <Menu.Item
            key={name}
            className={classes.item ?? ''}
            {...(isDangerous && { style: { color: 'var(--mantine-color-error)' } })}
            onClick={() => {
              // A dialog gives the focus back to what had it: the item is gone by then.
              button.current?.focus()
              onAct()
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
