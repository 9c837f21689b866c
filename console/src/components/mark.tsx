/** The sign of Sluice: a lifted gate between two posts, and the water it lets through. */
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--sluice-mark)" />
      <path d="M6 5.5h4v15H6zM22 5.5h4v15h-4z" fill="#fff" />
      <path d="M11.5 5.5h9v8.5h-9z" fill="#8fd6e6" />
      <path
        d="M5 22.5c2.75-2.4 5.5-2.4 8.25 0s5.5 2.4 8.25 0 5.5-2.4 5.5-2.4M5 27c2.75-2.4 5.5-2.4 8.25 0s5.5 2.4 8.25 0 5.5-2.4 5.5-2.4"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  )
}
