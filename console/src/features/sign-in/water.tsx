import classes from './sign-in-page.module.css'

// Each line lies lower and stronger than the one before: calm water below the gate.
const WAVES = [
  { path: 'M0 70 C 240 30, 480 110, 720 70 S 1200 30, 1440 70 V 320 H 0 Z', opacity: 0.06 },
  { path: 'M0 140 C 300 100, 540 190, 840 140 S 1260 110, 1440 140 V 320 H 0 Z', opacity: 0.09 },
  { path: 'M0 220 C 220 190, 520 260, 760 220 S 1220 190, 1440 220 V 320 H 0 Z', opacity: 0.14 },
]

/** Decoration behind the sign-in card. */
export function Water() {
  return (
    <svg
      className={classes.water}
      viewBox="0 0 1440 320"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {WAVES.map(({ path, opacity }) => (
        <path key={path} d={path} fill="currentColor" opacity={opacity} />
      ))}
    </svg>
  )
}
