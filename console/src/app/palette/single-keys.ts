import { create } from 'zustand'

const KEY = 'sluice.single-keys'

interface SingleKeys {
  readonly isOn: boolean
  readonly set: (isOn: boolean) => void
}

/** Whether a single key is a shortcut. Speech and shaking hands press keys by accident. */
export const useSingleKeys = create<SingleKeys>((set) => ({
  isOn: localStorage.getItem(KEY) !== 'off',
  set: (isOn) => {
    localStorage.setItem(KEY, isOn ? 'on' : 'off')
    set({ isOn })
  },
}))
