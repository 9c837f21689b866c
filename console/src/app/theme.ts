import { createTheme, type MantineColorsTuple, type MantineThemeOverride } from '@mantine/core'
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
