import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core'
import * as texts from '../components/texts.ts'

// The accent: deep water. Shade 8 carries white text at 7:1.
const SLUICE: MantineColorsTuple = [
  '#e9f6f9',
  '#d3ebf1',
  '#a8d8e4',
  '#78c3d5',
  '#4fb0c8',
  '#2f9fbb',
  '#1e8ca8',
  '#147690',
  '#0e6178',
  '#0a4a5c',
]

// Slate instead of neutral greys: text first, canvas last.
const DARK: MantineColorsTuple = [
  '#d8dee4',
  '#b9c2ca',
  '#96a1ac',
  '#71808d',
  '#3d4954',
  '#2f3943',
  '#232c35',
  '#182027',
  '#0f151a',
  '#0a0f13',
]

/**
 * Contrast: `autoContrast` at luminance 0.179, where black and white text are equal, keeps every
 * filled label at 4.58:1.
 */
export const theme: MantineThemeOverride = createTheme({
  colors: { sluice: SLUICE, dark: DARK },
  primaryColor: 'sluice',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.179,
  respectReducedMotion: true,
  cursorType: 'pointer',
  defaultRadius: 'md',
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  components: {
    // Most say something that is there from the start; a failure sets `alert` itself.
    Alert: { defaultProps: { role: 'note' } },
    // Said aloud also when the field that is wrong has the focus already.
    InputError: { defaultProps: { role: 'alert' } },
    Badge: { defaultProps: { radius: 'sm', tt: 'none', fw: 600 } },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': texts.closeDialog },
        // A `header` in a dialog counts as the page's banner, of which there is one.
        attributes: { header: { role: 'presentation' } },
      },
      // A client id of 30 characters would push the button out of a phone's dialog.
      styles: {
        title: { fontWeight: 650, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' },
      },
    },
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    PasswordInput: { defaultProps: { visibilityToggleFocusable: true } },
    SegmentedControl: {
      // At once: its colours would still be changing when the scheme has changed.
      defaultProps: { transitionDuration: 0, withItemsBorders: false },
      styles: {
        root: {
          backgroundColor: 'var(--mantine-color-body)',
          border: '1px solid var(--sluice-control-border)',
        },
        indicator: { backgroundColor: 'var(--mantine-color-sluice-light)', boxShadow: 'none' },
      },
    },
    Tooltip: {
      defaultProps: {
        events: { hover: true, focus: true, touch: true },
        multiline: true,
        maw: 'min(360px, calc(100vw - 16px))',
      },
    },
  },
})

/**
 * Corrects Mantine's colours where they miss 4.5:1 for text and 3:1 for the borders of controls,
 * and adds the console's own: canvas (behind cards), control border, mark.
 */
const COLOURS = {
  '--sluice-canvas': 'light-dark(#f3f6f7, #0f151a)',
  '--sluice-control-border': 'light-dark(#848d96, #71808d)',
  '--sluice-mark': 'light-dark(#0e6178, #147690)',
  '--mantine-color-text': 'light-dark(#15202a, #d8dee4)',
  '--mantine-color-dimmed': 'light-dark(#56606a, #a3aeb8)',
  '--mantine-color-placeholder': 'light-dark(#6b737b, #97a3ae)',
  '--mantine-color-anchor': 'light-dark(#0e6178, #86d3e6)',
  '--mantine-color-error': 'light-dark(#c92a2a, #ff8787)',
  '--mantine-color-default-border': 'light-dark(#d5dde2, #2f3943)',
  '--mantine-color-yellow-light': 'light-dark(#fdf3d6, #2f2a17)',
  '--mantine-color-green-light': 'light-dark(#e0f4e5, #163325)',
  '--mantine-color-red-light': 'light-dark(#fce8e8, #3a2024)',
  '--mantine-color-gray-light': 'light-dark(#e9eef1, #2a343d)',
  '--mantine-color-yellow-light-color': 'light-dark(#7a4a00, #ffd97a)',
  '--mantine-color-green-light-color': 'light-dark(#1b5e2b, #8ce0a5)',
  '--mantine-color-gray-light-color': 'light-dark(#454e57, #c3ccd4)',
  '--mantine-color-blue-light-color': 'light-dark(#134f8c, #a5d2ff)',
  '--mantine-color-red-light-color': 'light-dark(#a31c1c, #ffa8a8)',
  '--mantine-color-red-outline': 'light-dark(#c92a2a, #ff8787)',
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    // What charts and signs are drawn in.
    '--sluice-ink-green': 'light-dark(#2b8a3e, #51cf66)',
    '--sluice-ink-yellow': 'light-dark(#b76e00, #e0a526)',
    '--sluice-ink-red': 'light-dark(#c92a2a, #ff8787)',
    '--sluice-ink-blue': 'light-dark(#1971c2, #74c0fc)',
    '--sluice-ink-teal': 'light-dark(#0e6178, #4fb0c8)',
    '--sluice-ink-violet': 'light-dark(#7048e8, #b197fc)',
    '--sluice-ink-gray': 'light-dark(#767f88, #8d99a5)',
  },
  light: {
    ...COLOURS,
    '--mantine-color-green-outline': '#237032',
    '--mantine-color-blue-outline': '#1864ab',
  },
  dark: {
    ...COLOURS,
    '--mantine-color-sluice-light': '#12313b',
    '--mantine-color-blue-light': '#16304a',
    '--mantine-color-sluice-light-color': '#a8d8e4',
  },
})
