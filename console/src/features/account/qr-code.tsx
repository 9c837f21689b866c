import encodeQR from 'qr'
import { useMemo } from 'react'

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** A QR code, black on white in both schemes: that is what cameras read. */
export default function QrCode({ text, label }: QrCodeProps) {
  const modules = useMemo(() => encodeQR(text, 'raw', { border: 3 }), [text])
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  const size = modules.length
  return (
    <svg
      role="img"
      aria-label={label}
      width={220}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      style={{ alignSelf: 'center' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
