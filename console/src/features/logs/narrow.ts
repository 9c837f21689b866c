/**
 * Screens of this width show a row on three lines; the style sheet changes the layout at the same
 * width.
 */
export const NARROW = '(max-width: 48em)'
